#!/bin/bash
kept=$1
LATCHLAB_WORLD=ibverbs /work/main/build/dev/tests/test_protocols --gtest_filter='-*timed.*:timed/*:*Timed*:*Declared.*:random_scenarios*:registr*:PartRuns.*:*backoff.*' > $kept/p.log 2>&1
echo exit $?
