import type { DuePublisher } from '../../store/directory/directory-leases.ts'
import { describeOwner } from '../../store/task/process-name.ts'

export type { DuePublisher }

/** The crawler that holds a publisher, in words: `process 4711 on this machine`. */
export function describeHolder(owner: string): string {
  return describeOwner(owner)
}

/** `waiting for news.example and 2 more, held by process 4711 on another machine: 296 s at most`. */
export function describeWait(held: readonly DuePublisher[], now: Date): string {
  const [first] = held
  const names = `${first?.domain ?? ''}${held.length > 1 ? ` and ${held.length - 1} more` : ''}`
  const holders = [...new Set(held.flatMap(({ owner }) => (owner === null ? [] : describeOwner(owner))))]
  const by = holders.length === 0 ? '' : `, held by ${holders.join(', ')}`
  const ends = held.map(({ until }) => (until === null ? 0 : Date.parse(until) - now.getTime()))
  const leftMs = ends.reduce((latest, each) => Math.max(latest, each), 0)
  return `waiting for ${names}${by}: ${Math.ceil(leftMs / 1000)} s at most`
}
