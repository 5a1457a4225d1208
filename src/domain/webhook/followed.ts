/** What the subscribers of a task follow once it has completed. */
export interface Followed {
  readonly mediaBuyId: string
  /** Status that the result told. */
  readonly status: string | undefined
  /** Which registrations of the request follow it: `push` its status, `reporting` its delivery. */
  readonly kinds: readonly ('push' | 'reporting')[]
}

/**
 * By task: what its result gives to follow. The configuration of a creation is about the media buy's whole life; that of an update is about
 * this update alone, but a new reporting webhook replaces the old one.
 */
export const FOLLOWED: Readonly<Record<string, (result: object) => Followed | undefined>> = {
  create_media_buy: (result) => mediaBuyOf(result, ['push', 'reporting']),
  update_media_buy: (result) => mediaBuyOf(result, ['reporting']),
}

function mediaBuyOf(result: object, kinds: Followed['kinds']): Followed | undefined {
  if (!('media_buy_id' in result) || typeof result.media_buy_id !== 'string') return undefined
  const status = 'status' in result && typeof result.status === 'string' ? result.status : undefined
  return { mediaBuyId: result.media_buy_id, status, kinds }
}
