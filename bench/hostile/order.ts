import { createHash } from 'node:crypto'

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

/**
 * Ids of cases in the order of a seed, those of one part alone where one is named. The same for the same seed, and a new case moves no other: order and part
 * come from the hash of seed and id. All parts of a seed together are all cases, each once.
 */
export function ordered(ids: readonly string[], seed: number, { part, of }: Shard = { part: 1, of: 1 }): readonly string[] {
  const keyed = ids.map((id) => [createHash('sha256').update(`${seed} ${id}`).digest('hex'), id] as const)
  return keyed
    .filter(([hash]) => Number.parseInt(hash.slice(-8), 16) % of === part - 1)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, id]) => id)
}
