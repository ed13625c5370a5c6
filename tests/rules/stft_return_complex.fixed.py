import torch

wave, window = torch.randn(1, 400), torch.hann_window(64)
spectrum = torch.view_as_real(torch.stft(wave, 64, window=window, return_complex=True))  # expect: stft-return-complex "stft raises for real input without return_complex"
spectrum = torch.view_as_real(torch.stft(wave, 64, hop_length=16, return_complex=True)).abs()  # expect: stft-return-complex

# From here on everything is right.
options = {"return_complex": True}
spectrum = torch.stft(wave, 64, window=window, return_complex=True)
spectrum = torch.stft(wave, 64, window=window, return_complex=False)
spectrum = torch.stft(wave, 64, **options)
spectrum = torch.stft(wave.to(torch.complex64), 64, window=window)
if torch.__version__ < "2.0":
    spectrum = torch.stft(wave, 64)
