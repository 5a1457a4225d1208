import type { AccountReference } from '@adcp/sdk/types'
import { CHANGED_RESOURCES, presentChange } from '../../domain/account/account-change.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listChanges, newestSeq, oldestChange } from '../../store/account/account-changes.ts'

/** AdCP 3.2, account/list-account-changes-request.json. */
interface Request {
  readonly account: AccountReference
  readonly cursor?: string
  readonly starting_position?: 'earliest' | 'latest'
  readonly resource_types?: readonly string[]
  readonly max_results?: number
}

interface Response {
  readonly status: 'completed'
  readonly changes: readonly ReturnType<typeof presentChange>[]
  readonly cursor: string
  readonly has_more: boolean
  readonly available_since: string
  readonly generated_at: string
  readonly source_coverage: readonly object[]
}

const DEFAULT_PAGE = 50

export const listAccountChanges = defineTask<Request, Response>()({
  name: 'list_account_changes',
  since: '3.2',
  access: 'authenticated',
  ofPrograms: true,
  scope: 'accounts',
  account: 'required',
  summary: 'Changes of what an account holds, oldest first; go on from the cursor. starting_position "latest" begins now.',
  prepare: (_request, { services }) => services.accountChanges.settle(),
  async handle(request, context) {
    const { tx, now } = context
    const { account, after, query } = await placeOf(request, context)
    const most = request.max_results ?? DEFAULT_PAGE
    const head = await newestSeq(tx, account.tenantId, account.accountId)
    const resources = request.resource_types
    const found = await listChanges(tx, account, { after, limit: most + 1, resources })
    const changes = found.slice(0, most)
    const hasMore = found.length > most
    const place = hasMore ? (changes.at(-1)?.seq ?? after) : Math.max(head, after, changes.at(-1)?.seq ?? 0)
    const oldest = await oldestChange(tx, account.tenantId, account.accountId)
    return {
      status: 'completed',
      changes: changes.map(presentChange),
      cursor: encodeCursor(query, String(place)),
      has_more: hasMore,
      available_since: oldest?.recordedAt ?? now.toISOString(),
      generated_at: now.toISOString(),
      source_coverage: [
        { source_id: 'seller', kind: 'seller', status: 'current', resource_types: Object.keys(CHANGED_RESOURCES) },
      ],
    }
  },
})

/** Behind which change the answer begins. Throws INVALID_REQUEST for two places at once, CURSOR_EXPIRED for one that is no longer kept. */
async function placeOf(request: Request, { tx, principal, account }: InTransaction<AuthenticatedContext>) {
  if (!account) throw new Error('the pipeline resolves a required account')
  const { cursor, starting_position: start, resource_types: types } = request
  const { tenantId, accountId } = account
  const query = ['list_account_changes', tenantId, principal.principalId, accountId, types && [...types].sort()]
  if (cursor !== undefined && start !== undefined) {
    const field = 'starting_position'
    throw new AdcpError('INVALID_REQUEST', 'cursor and starting_position exclude each other: send one of them', { field })
  }
  const known = decodeCursor(query, cursor, 'cursor')
  if (known === undefined) return { account, query, after: start === 'latest' ? await newestSeq(tx, tenantId, accountId) : 0 }
  const after = Number(known)
  const oldest = await oldestChange(tx, tenantId, accountId)
  if (oldest && after < oldest.seq - 1) {
    const repair = 'take a new checkpoint with starting_position "latest", read the account as it is, and go on from there'
    throw new AdcpError('CURSOR_EXPIRED', `changes behind the cursor are no longer kept: ${repair}`, { field: 'cursor' })
  }
  return { account, query, after }
}
