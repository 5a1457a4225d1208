import { createHash } from 'node:crypto'
import { groupBy } from '../../src/domain/group-by.ts'
import { type Case, FEW, placeOf } from './cases.ts'

/** One of `of` parts of all cases, from 1. */
export interface Shard {
  readonly part: number
  readonly of: number
}

/** Reads `2/8`; undefined for what is none. */
export function readShard(text: string): Shard | undefined {
  const [, part = '', of = ''] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const shard = { part: Number(part), of: Number(of) }
  return shard.part >= 1 && shard.part <= shard.of ? shard : undefined
}

/** The cases that are tried with a seed: of each set the few that it chooses, and all others. */
export function triedOf(cases: readonly Pick<Case, 'id' | 'set'>[], seed: number): readonly string[] {
  const sets = groupBy(cases, ({ set, id }) => set ?? id)
  return [...sets.values()].flatMap((set) =>
    ordered(
      set.map(({ id }) => id),
      seed,
    ).slice(0, FEW),
  )
}

/**
 * Ids of cases in the order of a seed, those of one part alone where one is named: first one of each place, so that a run that ends early has tried as many places
 * as it could, then another of each. The same for the same seed, and a case of a new place moves no other: order and part come from the hash of seed and
 * id, and a place with all its cases is in one part. All parts of a seed together are all cases, each once.
 */
export function ordered(ids: readonly string[], seed: number, { part, of }: Shard = { part: 1, of: 1 }): readonly string[] {
  const hashOf = (text: string) => createHash('sha256').update(`${seed} ${text}`).digest('hex')
  const isOfPart = (id: string) => Number.parseInt(hashOf(placeOf(id)).slice(-8), 16) % of === part - 1
  const keyed = ids
    .filter(isOfPart)
    .map((id) => ({ id, hash: hashOf(id) }))
    .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
  const ofPlace = new Map<string, number>()
  const ranked = keyed.map(({ id }) => {
    const rank = ofPlace.get(placeOf(id)) ?? 0
    ofPlace.set(placeOf(id), rank + 1)
    return { id, rank }
  })
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ id }) => id)
}
