import type { Account } from '../../domain/account/account.ts'
import { billedAccount } from '../../domain/account/billed-account.ts'
import type { Deployment } from '../../domain/signal/deployment.ts'
import { searchSignals } from '../../domain/signal/search-signals.ts'
import { isOfferedTo, type Signal } from '../../domain/signal/signal.ts'
import type { Governed, SpendCommitment } from '../../features/governance/governance.ts'
import type { ActivationOrder, SignalSet } from '../../features/signals/signal-source.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { instead, quoted } from '../../protocol/nearest-name.ts'
import { listAccounts } from '../../store/account/accounts.ts'
import type { DeploymentOwner } from '../../store/signal/signal-deployments.ts'

/** A change of deployments that the signal source has taken on and the store has not seen yet. */
export interface PlannedActivation {
  readonly owner: DeploymentOwner
  /** The deployments of the request's destinations, in their order, as they are to be saved. */
  readonly deployments: readonly Deployment[]
  /** Orders that were begun now, to be withdrawn should the call fail. */
  readonly begun: readonly ActivationOrder[]
  /** What those who govern the buyer's money agreed to; undefined where nothing new is committed. */
  readonly agreed:
    | { readonly commitment: SpendCommitment; readonly governed: Governed; readonly account: Account | undefined }
    | undefined
}

/** A signal that is offered to the agent. Throws SIGNAL_NOT_FOUND; one that is offered to others alone is as absent as any. */
export function signalOnOffer(signalSet: SignalSet, segmentId: string, principalId: string): Signal {
  const signal = signalSet.byId.get(segmentId)
  if (signal && isOfferedTo(signal, principalId)) return signal
  const offered = [...signalSet.byId].flatMap(([id, each]) => (isOfferedTo(each, principalId) ? [id] : []))
  throw signalNotFound('signal_agent_segment_id', `: ${quoted(segmentId)}${insteadOfSignal(segmentId, offered, signalSet)}`)
}

/** More ids would bury the message. */
const MOST_NEAREST = 5

/** The end of a sentence that refuses the id of a signal: the one that was most likely meant, else those that its words find, else the first. `offered`: ids that the caller may name. */
function insteadOfSignal(sent: string, offered: readonly string[], { index }: SignalSet): string {
  const hint = instead(sent, offered, '')
  if (hint !== '; ' || offered.length === 0) return hint === '; ' ? '; get_signals finds them' : hint
  const found = searchSignals(index, sent.slice(0, MOST_SEARCHED).replaceAll(/[_-]+/g, ' ')).map(({ segmentId }) => segmentId)
  const near = found.filter((id) => offered.includes(id)).slice(0, MOST_NEAREST)
  const [label, ids] = near.length > 0 ? ['nearest', near] : ['such as', offered.slice(0, MOST_NEAREST)]
  return `; ${label}: ${ids.join(', ')}; get_signals finds them (${offered.length} in all)`
}

/** An id of more characters names nothing by its words. */
const MOST_SEARCHED = 64

/** The answer for a segment that does not exist, naming `field`; `hint` ends its sentence. */
export function signalNotFound(field: string, hint = ''): AdcpError {
  return new AdcpError('SIGNAL_NOT_FOUND', `there is no such signal${hint}`, {
    field,
    suggestion: 'find signals with get_signals and pass their signal_agent_segment_id',
  })
}

/** The account that an activation is charged to; see `billedAccount`. */
export async function payingAccount({ db, principal, account }: AuthenticatedContext) {
  const own = account ? [] : (await listAccounts(db, principal, {}, { after: undefined, limit: 2 })).accounts
  return billedAccount(account, own, { conformance: principal.conformance === true, task: 'activate_signal' })
}

/** Whose deployments a call works on; with `conformance` a sandbox agent may have named no account. */
export function deploymentOwner(
  { principal }: Pick<AuthenticatedContext, 'principal'>,
  account: { readonly accountId: string } | undefined,
): DeploymentOwner {
  const { tenantId, principalId } = principal
  return { tenantId, principalId, accountId: account?.accountId ?? '' }
}

/** A deployment as the signal source gets to know it. */
export function orderOf(deployment: Deployment, signal: Signal, owner: DeploymentOwner): ActivationOrder {
  const { deploymentId, destination, requestedAt } = deployment
  return {
    deploymentId,
    signal,
    destination,
    requestedAt,
    buyer: JSON.stringify([owner.tenantId, owner.principalId, owner.accountId]),
  }
}
