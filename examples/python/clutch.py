"""A network in a clutch learns a friction law from speeds, through the events where it closes and sticks.

    PYTHONPATH=python python3 examples/python/clutch.py
"""
import os
import sys

import numpy as np
import torch

import acausal
from acausal.torch import simulate

torch.manual_seed(1)
n, steps, stop = 4, 40, 2.0
model = acausal.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'NeuralClutch.mo'))
measured = model.simulate(stop=stop, points=steps, set={'neural': False}, tolerance=1e-9)
times = np.linspace(0, stop, steps + 1)
rows = np.searchsorted(measured.time, times + 1e-9, side='right') - 1
speeds = torch.as_tensor(np.array(measured['w1', 'w2'][rows]))
print('measured: the clutch sticks at t = %.3f' % measured.time[np.argmax(measured['sticks'] > 0.5)])


class Law(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (torch.nn.Parameter(s * torch.randn(n, dtype=torch.float64)) for s in (0.5, 0.5, 0.5))
        self.d = torch.nn.Parameter(torch.tensor(5.0, dtype=torch.float64))

    def forward(self):
        weights = {'a': self.a, 'b': self.b, 'c': self.c, 'd': self.d}
        return simulate(model, weights, ['w1', 'w2'], times=steps, stop=stop, tolerance=1e-7)


law = Law()
optimiser = torch.optim.Adam(law.parameters(), lr=0.05)
epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
for epoch in range(epochs):
    optimiser.zero_grad()
    loss = ((law() - speeds) ** 2).mean()
    loss.backward()
    optimiser.step()
    if epoch in (0, epochs - 1) or epoch % 50 == 0:
        print('%4d  mean square of errors %.3g' % (epoch, float(loss)))

slip = torch.linspace(0.5, 9.5, 7, dtype=torch.float64)
found = torch.tanh(slip[:, None] * law.a + law.b) @ law.c + law.d
print('slip  ', ' '.join('%6.2f' % s for s in slip))
print('true  ', ' '.join('%6.2f' % v for v in 4 + 6 * torch.exp(-slip / 2)))
print('found ', ' '.join('%6.2f' % v for v in found.detach()))
