import numpy as np
import torch
from sklearn.model_selection import train_test_split

X, y, ids = np.zeros((10, 3)), np.zeros(10), np.arange(10)
X_train, y_train, X_test, y_test = train_test_split(X, y)  # expect: split-unpacked-in-wrong-order "train_test_split gives both parts of X, both parts of y, the training part first"
x_test, x_train, y_test, y_train = train_test_split(X, y, test_size=0.2)  # expect: split-unpacked-in-wrong-order
train_x, train_y, val_x, val_y = train_test_split(X, y, test_size=0.2, random_state=0)  # expect: split-unpacked-in-wrong-order

# From here on everything is right.
X_train, X_test, y_train, y_test = train_test_split(X, y)
X_train, X_val, y_train, y_val, id_train, id_val = train_test_split(X, y, ids)
train_ids, test_ids = train_test_split(ids)
a, b, c, d = train_test_split(X, y)
X_train, X_rest, y_train, y_rest = train_test_split(X, y)
X_val, X_test, y_val, y_test = train_test_split(X_rest, y_rest)
parts = train_test_split(X, y)
first, *others = train_test_split(X, y)
xtrain, xtest, ytrain, ytest = train_test_split(X, y)
rows = torch.from_numpy(X_train)
