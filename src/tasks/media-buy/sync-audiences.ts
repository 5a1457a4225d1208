import { randomUUID } from 'node:crypto'
import type { SyncAudiencesSuccess } from '@adcp/sdk'
import type { SyncAudiencesRequest } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import { MOST_OF_ACCOUNT, tooManyOf } from '../../domain/account/most-of-account.ts'
import { type Audience, type DeclaredAudience, type DeclaredMember, EMPTY } from '../../domain/audience/audience.ts'
import { searchClearText } from '../../domain/audience/clear-text.ts'
import {
  type AudienceDecision,
  decideAudience,
  presentAudience,
  presentAudienceFailure,
  twice,
} from '../../domain/audience/sync-audience.ts'
import { namedAndStored } from '../../domain/named-and-stored.ts'
import { forCaller, inSandbox } from '../../domain/protocol/by-caller.ts'
import { simulationMembers } from '../../domain/protocol/simulated-backends.ts'
import type { Identifier } from '../../features/audiences/identity-graph.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { eachInTurns, inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { addMembers, type Member, removeMembers, sizesOf } from '../../store/audience/audience-members.ts'
import { deleteAudience, findAudiences, insertAudience, saveAudience } from '../../store/audience/audiences.ts'
import { mapYielding } from '../../store/yielding.ts'
import { audiencesInUse } from './audience-uses.ts'
import { minimumAudienceSize } from './minimum-audience-size.ts'

type Row = SyncAudiencesSuccess['audiences'][number]
type Context = InTransaction<AuthenticatedContext>
/** Whether the publisher knows an identifier, by {@link keyOf}. */
type Known = ReadonlyMap<string, boolean>

export const syncAudiences = defineTask<SyncAudiencesRequest, SyncAudiencesSuccess>()({
  name: 'sync_audiences',
  mutating: true,
  access: 'authenticated',
  scope: 'audiences',
  account: 'required',
  summary: 'Upload audiences as hashed identifiers, change or delete them. Without audiences: list them.',
  async prepare({ audiences = [] }, context): Promise<Known> {
    await inTurns(searchClearText(audiences, 'audiences', OWN_WORDS))
    const identifiers = audiences.flatMap(({ add = [] }) => add.flatMap(identifiersOf))
    const graph = forCaller(context.services.identityGraph, context)
    const matches = await graph.match(identifiers)
    // Stories upload two people and target them: of a simulation all are known to them.
    const isStory = graph.simulated && context.principal.conformance === true
    const known = new Map<string, boolean>()
    await eachInTurns(identifiers.entries(), ([index, identifier]) =>
      known.set(keyOf(identifier), isStory || (matches[index] ?? false)),
    )
    return known
  },
  async handle(request, context, known) {
    const { account } = context
    if (!account) throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
    const rows = request.audiences
      ? await synced(request, request.audiences, context, account, known)
      : await listed(context, account)
    return {
      audiences: rows,
      ...simulationMembers(forCaller(context.services.identityGraph, context), { inSandbox: inSandbox(context) }),
    }
  },
})

/** Texts about the audience itself: a description may say whom to write to. */
const OWN_WORDS: ReadonlySet<string> = new Set(['name', 'description', 'tags', 'audience_id', 'audience_type', 'consent_basis'])

async function synced(
  { delete_missing }: SyncAudiencesRequest,
  audiences: readonly DeclaredAudience[],
  context: Context,
  { accountId }: Account,
  known: Known,
): Promise<Row[]> {
  const { tx, principal, now } = context
  const stored = await findAudiences(tx, { ...ownerOf(principal), accountId })
  const ids = audiences.map(({ audience_id }) => audience_id)
  const { isFirst, storedOf, others } = namedAndStored(ids, stored, ({ audienceId }) => audienceId)
  let inUse: Promise<ReadonlySet<string>> | undefined
  const used = () => {
    inUse ??= audiencesInUse(tx, principal, accountId, now)
    return inUse
  }
  const rows: Row[] = []
  let count = stored.length
  for (const [index, wire] of audiences.entries()) {
    const field = `audiences[${index}]`
    const fresh = { accountId, sellerId: `aud_${randomUUID()}`, now }
    const decision = isFirst(index) ? decideAudience(wire, storedOf(wire.audience_id), field, fresh) : twice(wire, field)
    if (decision.action === 'created' && count >= MOST_OF_ACCOUNT.audiences) {
      rows.push(presentAudienceFailure(wire.audience_id, tooManyOf('audiences', `${field}.audience_id`)))
      continue
    }
    const row =
      decision.action === 'deleted'
        ? await removed(decision.audience, context, `${field}.audience_id`, await used())
        : await applied(wire, decision, context, known)
    count += row.action === 'created' ? 1 : row.action === 'deleted' ? -1 : 0
    rows.push(row)
  }
  for (const audience of delete_missing ? others : []) rows.push(await removed(audience, context, 'delete_missing', await used()))
  return rows
}

/** Deletes an audience, unless a package that runs or will run names it. */
async function removed(
  { audienceId, sellerId }: Audience,
  { tx, principal }: Context,
  field: string,
  inUse: ReadonlySet<string>,
): Promise<Row> {
  if (inUse.has(audienceId)) {
    const error = new AdcpError('INVALID_STATE', `${field}: a package that is not over targets or excludes the audience`, {
      field,
      suggestion: 'take it out of the targeting of the package first',
    })
    return presentAudienceFailure(audienceId, error)
  }
  await deleteAudience(tx, principal, sellerId)
  return { audience_id: audienceId, action: 'deleted' }
}

/** Writes what was decided, lets people in and out, and shows the audience as it is then. */
async function applied(
  wire: DeclaredAudience,
  decision: Exclude<AudienceDecision, { action: 'deleted' }>,
  context: Context,
  known: Known,
): Promise<Row> {
  const { tx, principal, now } = context
  if (decision.action === 'failed') return presentAudienceFailure(decision.audienceId, decision.error)
  const { audience } = decision
  await (decision.action === 'created' ? insertAudience(tx, principal, audience) : saveAudience(tx, principal, audience))
  const { add = [], remove = [] } = wire
  const pseudonymous = (members: readonly DeclaredMember[]) =>
    mapYielding(members, (member) => memberOf(member, audience.sellerId, context, known))
  const joined = await addMembers(tx, principal, audience.sellerId, await pseudonymous(add), now)
  // After the additions: who is in both lists of one request is out (media-buy/sync-audiences-request.json, `remove`).
  const left = await removeMembers(tx, principal, audience.sellerId, await pseudonymous(remove))
  const sizes = await sizesOf(tx, principal.tenantId, [audience.sellerId])
  const isChanged = decision.action === 'kept' && (decision.isChanged || joined || left > 0)
  return presentAudience(audience, sizes.get(audience.sellerId) ?? EMPTY, {
    action: decision.action === 'created' ? 'created' : isChanged ? 'updated' : 'unchanged',
    uploaded: add.length,
    minimumSize: minimumAudienceSize(context),
  })
}

async function listed(context: Context, { accountId }: Account): Promise<Row[]> {
  const { tx, principal } = context
  const audiences = await findAudiences(tx, { ...ownerOf(principal), accountId })
  const sizes = await sizesOf(
    tx,
    principal.tenantId,
    audiences.map(({ sellerId }) => sellerId),
  )
  return audiences.map((audience) =>
    presentAudience(audience, sizes.get(audience.sellerId) ?? EMPTY, {
      action: 'unchanged',
      uploaded: 0,
      minimumSize: minimumAudienceSize(context),
    }),
  )
}

/** A person as the store knows one. The buyer's own id of a person means nothing outside the audience, so neither does its pseudonym. */
function memberOf(member: DeclaredMember, sellerId: string, { principal, services }: Context, known: Known): Member {
  const { tenantId } = principal
  const { pseudonyms } = services
  return {
    member: pseudonyms.of(tenantId, `member/${sellerId}`, member.external_id),
    identifiers: identifiersOf(member).map((identifier) => ({
      kind: identifier.kind,
      pseudonym: pseudonyms.of(tenantId, identifier.kind, identifier.value),
      matched: known.get(keyOf(identifier)) ?? false,
    })),
  }
}

function identifiersOf({ hashed_email, hashed_phone, uids = [] }: DeclaredMember): Identifier[] {
  return [
    ...(hashed_email === undefined ? [] : [{ kind: 'hashed_email', value: hashed_email }]),
    ...(hashed_phone === undefined ? [] : [{ kind: 'hashed_phone', value: hashed_phone }]),
    ...uids.map(({ type, value }) => ({ kind: type, value })),
  ]
}

function keyOf({ kind, value }: Identifier): string {
  return `${kind} ${value}`
}

function ownerOf({ tenantId, principalId }: Context['principal']) {
  return { tenantId, principalId }
}
