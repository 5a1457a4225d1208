import type { Steps } from '../../platform/concurrency/steps.ts'

/** Texts that are sorted or merged in one step: a millisecond or two. */
const TEXTS_OF_A_STEP = 4_096

/** Texts in ascending order of their UTF-16 units, as `sort` has them: parts are sorted, and merged two by two. */
export function* sortedInSteps(texts: readonly string[]): Steps<readonly string[]> {
  let runs: (readonly string[])[] = []
  for (let start = 0; start < texts.length; start += TEXTS_OF_A_STEP) {
    runs.push(texts.slice(start, start + TEXTS_OF_A_STEP).sort())
    yield
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* mergedInSteps(runs[at] ?? [], runs[at + 1] ?? []))
    runs = merged
  }
  return runs[0] ?? []
}

function* mergedInSteps(a: readonly string[], b: readonly string[]): Steps<readonly string[]> {
  if (b.length === 0) return a
  const all: string[] = []
  let [ofA, ofB] = [0, 0]
  while (ofA < a.length || ofB < b.length) {
    if (all.length % TEXTS_OF_A_STEP === 0) yield
    const [first, second] = [a[ofA], b[ofB]]
    const takesA = second === undefined || (first !== undefined && first <= second)
    all.push((takesA ? first : second) ?? '')
    if (takesA) ofA++
    else ofB++
  }
  return all
}
