/** Whose creative it is, and its id there; `account` is empty for none. */
export interface CreativeEntry {
  readonly buyer: string
  readonly account: string
  readonly creative: string
}

/** What an id of the queue stands for. */
export type NamedEntry =
  | { readonly kind: 'task'; readonly taskId: string }
  | { readonly kind: 'account'; readonly account: string }
  | ({ readonly kind: 'creative' } & CreativeEntry)

/** Kinds of approvals. */
export const ENTRY_KINDS = ['creative', 'task', 'account'] as const satisfies readonly NamedEntry['kind'][]

/** The id of a creative in the queue of what needs a decision. */
export function creativeEntryId({ buyer, account, creative }: CreativeEntry): string {
  return ['creative', buyer, account, creative].map(encodeURIComponent).join(':')
}

/** The id of an account in the queue. */
export function accountEntryId(account: string): string {
  return `account:${encodeURIComponent(account)}`
}

/** Reads an id of the queue; a task has an id of its own, which is any text that names neither of the others. */
export function readEntryId(id: string): NamedEntry {
  const [kind, ...parts] = id.split(':').map(decoded)
  const [one = '', account = '', creative = ''] = parts
  if (kind === 'account' && parts.length === 1) return { kind, account: one }
  if (kind === 'creative' && parts.length === 3) return { kind, buyer: one, account, creative }
  return { kind: 'task', taskId: id }
}

/** A part that is no percent-encoded text stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
