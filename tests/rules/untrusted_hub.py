import torch
from transformers import AutoModel, AutoTokenizer, pipeline

name = input()

model = torch.hub.load("somebody/models", "tiny")  # expect: untrusted-hub "torch.hub.load asks before it runs the code of somebody/models: say what you trust with trust_repo, and name a tag"
model = torch.hub.load("somebody/models:v1.2", "tiny", pretrained=True)  # expect: untrusted-hub
model = torch.hub.load(repo_or_dir="ultralytics/yolov5", model="yolov5s")  # expect: untrusted-hub
model = torch.hub.load("somebody/models", "tiny", trust_repo=True)  # expect: untrusted-hub "name a tag or commit, somebody/models:v1.0"

model = AutoModel.from_pretrained("somebody/model", trust_remote_code=True)  # expect: remote-code-without-revision "the code of somebody/model is run as it is today: give revision"
answer = pipeline("text-generation", model="somebody/model", trust_remote_code=True)  # expect: remote-code-without-revision
answer = pipeline("text-generation", "somebody/model", trust_remote_code=True)  # expect: untrusted-hub

# From here on everything is right.
model = torch.hub.load("somebody/models:v1.2", "tiny", trust_repo=True)
model = torch.hub.load("somebody/models", "tiny", trust_repo="check")
model = torch.hub.load("pytorch/vision", "resnet50", weights=None)
model = torch.hub.load("facebookresearch/dinov2", "dinov2_vits14")
model = torch.hub.load("models/local", "tiny", source="local")
model = torch.hub.load(name, "tiny")
model = AutoModel.from_pretrained("somebody/model", trust_remote_code=True, revision="8d1f0ac")
model = AutoModel.from_pretrained("somebody/model", trust_remote_code=True, code_revision="8d1f0ac")
model = AutoModel.from_pretrained("somebody/model", trust_remote_code=False)
model = AutoModel.from_pretrained("./models/mine", trust_remote_code=True)
model = AutoModel.from_pretrained("./mine", trust_remote_code=True)
words = AutoTokenizer.from_pretrained("somebody/model")
model = AutoModel.from_pretrained(name, trust_remote_code=True)
answer = pipeline("text-generation", trust_remote_code=True)


def load(repository, **more):
    return torch.hub.load(repository, "tiny", **more)


def other(**more):
    return torch.hub.load("somebody/models", "tiny", **more)
