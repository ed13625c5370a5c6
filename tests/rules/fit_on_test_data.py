import numpy as np
import torch
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler, StandardScaler

X, y = np.random.rand(100, 4), np.random.rand(100)
X_train, X_test, y_train, y_test = train_test_split(X, y)
scaler = StandardScaler()
X_train = scaler.fit_transform(X_train)
X_test = scaler.fit_transform(X_test)  # expect: fit-on-test-data "fit_transform measures X_test anew, and scales it otherwise than X_train"


def scaled(x_train, x_val):
    by = MinMaxScaler()
    train = by.fit(x_train).transform(x_train)
    val = by.fit_transform(x_val.reshape(-1, 1))  # expect: fit-on-test-data "x_val"
    return torch.from_numpy(train), torch.from_numpy(val)


def at_once(x_train, x_test):
    one = MinMaxScaler()
    return one.fit_transform(x_train), one.fit_transform(x_test)  # expect: fit-on-test-data


# From here on everything is right.
other = StandardScaler()
a = other.fit_transform(X_train)
b = other.transform(X_test)
parts = PCA(2)
c = parts.fit_transform(X_train)
latest = other.fit_transform(X)
for fold in range(3):
    fold_scaler = StandardScaler()
    train = fold_scaler.fit_transform(X_train)
    test = fold_scaler.transform(X_test)
only = StandardScaler()
d = only.fit_transform(X_test)
targets = StandardScaler()
e = targets.fit_transform(y_train.reshape(-1, 1))
f = targets.transform(y_test.reshape(-1, 1))
two = StandardScaler()
g = two.fit_transform(np.concatenate([X_train, X_test]))
train_test = two.fit_transform(X)


def both(train_x, test_x):
    first, second = StandardScaler(), StandardScaler()
    return first.fit_transform(train_x), second.fit_transform(test_x)


class Tokens:
    def fit_transform(self, rows):
        return rows


tokens = Tokens()
tokens.fit_transform(X_train)
tokens.fit_transform(X_test)
print(torch.from_numpy(X_train))
