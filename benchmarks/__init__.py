"""What the engine reaches, measured: run one as ``python -m benchmarks.bench_fits``."""
