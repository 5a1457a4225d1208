/** Something that the subscribers of a task follow once it has completed. */
export interface Followed {
  /** `status`: of a media buy; `report`: its delivery; `creative`: the review of a creative; `account`: the status of an account. */
  readonly kind: 'status' | 'report' | 'creative' | 'account'
  readonly subjectId: string
  /** Status in the result. */
  readonly status: string | undefined
  /** Which registrations of the request follow it. */
  readonly by: 'push' | 'reporting'
  /** Those of 3.1 and later alone. */
  readonly isPersistent?: boolean
}

/**
 * By task: what its result gives to follow. The configuration of a creation is about the media buy's whole life, and from 3.1 on that of an update takes its place
 * (webhooks page, "Mutability and rotation"); that of an update of 3.0 is about this update alone. A new reporting webhook replaces the old one.
 */
export const FOLLOWED: Readonly<Record<string, (result: object) => readonly Followed[]>> = {
  sync_accounts: (result) =>
    listOf(result, 'accounts').flatMap((account) => {
      const [subjectId, status] = [textOf(account, 'account_id'), textOf(account, 'status')]
      return subjectId !== undefined && !ENDED.has(status) ? [{ kind: 'account', subjectId, status, by: 'push' }] : []
    }),
  create_media_buy: (result) => [...ofMediaBuy(result, 'status', 'push'), ...ofMediaBuy(result, 'report', 'reporting')],
  update_media_buy: (result) => [
    ...ofMediaBuy(result, 'status', 'push').map((each) => ({ ...each, isPersistent: true })),
    ...ofMediaBuy(result, 'report', 'reporting'),
  ],
  sync_creatives: (result) =>
    listOf(result, 'creatives').flatMap((creative) => {
      const [subjectId, status] = [textOf(creative, 'creative_id'), textOf(creative, 'status')]
      return subjectId !== undefined && UNREVIEWED.has(status) ? [{ kind: 'creative', subjectId, status, by: 'push' }] : []
    }),
}

/** Statuses of a creative that wait for somebody (enums/creative-status). */
const UNREVIEWED: ReadonlySet<string | undefined> = new Set(['processing', 'pending_review'])

/** Statuses that an account never leaves (enums/account-status). */
const ENDED: ReadonlySet<string | undefined> = new Set(['rejected', 'closed'])

function ofMediaBuy(result: object, kind: Followed['kind'], by: Followed['by']): readonly Followed[] {
  const subjectId = textOf(result, 'media_buy_id')
  return subjectId === undefined ? [] : [{ kind, subjectId, status: textOf(result, 'status'), by }]
}

function textOf(value: object, name: string): string | undefined {
  const found: unknown = Reflect.get(value, name)
  return typeof found === 'string' ? found : undefined
}

function listOf(value: object, name: string): readonly object[] {
  const found: unknown = Reflect.get(value, name)
  return Array.isArray(found) ? found.filter((one: unknown) => typeof one === 'object' && one !== null) : []
}
