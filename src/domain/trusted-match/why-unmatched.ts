/** Packages of a publisher's orders in flight, counted by whether providers of Trusted Match get them. */
export interface CountedPackages {
  readonly matched: number
  readonly sandbox: number
  readonly withoutCreative: number
  readonly resting: number
}

/** Why packages in flight are synced to no provider, in words: `3 of sandbox buyers (simulated)`; empty when all are. */
export function unmatchedReasons({ sandbox, withoutCreative, resting }: CountedPackages): readonly string[] {
  return [
    ...(sandbox > 0 ? [`${sandbox} of sandbox buyers (simulated)`] : []),
    ...(withoutCreative > 0 ? [`${withoutCreative} without an approved creative`] : []),
    ...(resting > 0 ? [`${resting} paused, canceled or outside their own flight`] : []),
  ]
}

/** What is matched and what is not: `no package is matched: 3 of sandbox buyers (simulated)`. */
export function describeMatched(counted: CountedPackages): string {
  const { matched } = counted
  const reasons = unmatchedReasons(counted)
  if (matched > 0)
    return `${matched} ${matched === 1 ? 'package is' : 'packages are'} matched${reasons.length === 0 ? '' : `; not matched: ${reasons.join(', ')}`}`
  return `no package is matched: ${reasons.length === 0 ? 'no order of a buyer is in flight' : reasons.join(', ')}`
}
