import type { RefreshElsewhere } from '../../features/directory/held-by-others.ts'
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

/**
 * What other crawlers did with the publishers that a crawl waited for: `3 were refreshed by process 4711 on this machine meanwhile: 1 failed, 0 have no file`, then why, of those
 * that gave no file.
 */
export function describeElsewhere(elsewhere: readonly RefreshElsewhere[]): readonly string[] {
  if (elsewhere.length === 0) return []
  const holders = [...new Set(elsewhere.flatMap(({ owner }) => (owner === null ? [] : describeOwner(owner))))]
  const by = holders.length === 0 ? 'another crawler' : holders.join(', ')
  const [failed, absent] = (['failed', 'absent'] as const).map((kind) => elsewhere.filter(({ result }) => result === kind))
  const were = elsewhere.length === 1 ? 'was' : 'were'
  return [
    `${elsewhere.length} ${were} refreshed by ${by} meanwhile: ${failed?.length} failed, ${absent?.length} have no file`,
    ...elsewhere.flatMap(({ domain, result, reason }) => (result === 'verified' ? [] : `${domain}: ${result}: ${reason ?? ''}`)),
  ]
}
