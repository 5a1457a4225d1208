import type { Contract } from '../../protocol/contract.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { type DigestPolicy, digestPolicyIn } from '../../protocol/digest-policy.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { namesRelease, parseVersion } from '../../protocol/release-version.ts'
import { checkSignedForm, demandSignedSpend } from '../../security/auth/signing-policy.ts'
import type { State, Step } from '../state.ts'
import type { Task } from '../task.ts'

/** The two ways in which a request names its protocol version (AdCP core/version-envelope.json). */
type VersionField = 'adcp_version' | 'adcp_major_version'

/**
 * Chooses the contract by which the call is judged and answered, on every task: see {@link Contracts.negotiate}. A version that cannot be served is
 * VERSION_UNSUPPORTED. Each of the two fields that is there is judged, since clients send both. A publisher may offer fewer releases than are served. A call
 * that names no release is answered in the lowest one that has its task. A signed call has to cover what its release asks, and a release may ask that what
 * spends is signed.
 */
export const negotiateRelease: Step = async (state, next) => {
  const { call, deps, tenant, presentation, task } = state
  const contracts = deps.contracts.only(tenant?.settings.releases)
  const { arguments: args } = call
  const named = typeof args === 'object' && args !== null ? args : {}
  const unnamed = (task && contracts.having(task.name)[0]) ?? contracts.default
  const contract = namesRelease(named) ? contractFor(contracts, named.adcp_version) : unnamed
  if ('adcp_major_version' in named) checkMajor(contracts, named.adcp_major_version)
  presentation.contract = contract
  checkSignedForm(call.credentials, digestOf(state, contract))
  if (task && !contract.has(task.name)) throw notInRelease(contracts, contract, task)
  if (task?.spends && contract.rules.signedSpend) demandSignedSpend(task.name, call.credentials, state.principal)
  return next({ ...state, contract })
}

function digestOf({ deps, tenant }: State, { line }: Contract): DigestPolicy {
  const { profile, contentDigest } = deps.services.wiring.signing
  return digestPolicyIn(line, tenant?.settings.signingProfile ?? profile, contentDigest)
}

function contractFor(contracts: Contracts, version: unknown): Contract {
  const parsed = typeof version === 'string' ? parseVersion(version) : undefined
  if (parsed === undefined) {
    const sent = typeof version === 'number' ? `, as a text, not the number ${version}` : ''
    throw unsupported(contracts, 'adcp_version', `adcp_version must be a release such as "3.0"${sent}`)
  }
  const contract = contracts.negotiate(parsed)
  if (contract === undefined) throw unsupported(contracts, 'adcp_version', `AdCP ${String(version)} is not served here`)
  return contract
}

function notInRelease(contracts: Contracts, contract: Contract, { name: task, model }: Task): AdcpError {
  const { line } = contract
  const withheld = contract.withheld(task)
  const fault = withheld === undefined ? `AdCP ${line} has no task ${task}` : `${task} is not served in AdCP ${line}: ${withheld}`
  const lines = contracts.having(task).map((each) => `"${each.line}"`)
  const counterpart = model && contract.has(model.task) ? `, where ${model.task} does it` : ''
  const others = `${counterpart}${lines.length > 0 ? `; send adcp_version ${lines.join(' or ')}` : ''}`
  return new AdcpError('UNSUPPORTED_FEATURE', `${fault}${others}`, { field: 'adcp_version' })
}

/** What is no number is refused by the schema of the task. */
function checkMajor(contracts: Contracts, major: unknown): void {
  if (typeof major !== 'number' || contracts.majors.includes(major)) return
  throw unsupported(contracts, 'adcp_major_version', `AdCP major version ${major} is not served here`)
}

function unsupported({ lines, majors }: Contracts, field: VersionField, fault: string): AdcpError {
  const allowed = field === 'adcp_version' ? lines.map((line) => `"${line}"`) : majors
  return new AdcpError('VERSION_UNSUPPORTED', `${fault}; send ${field} ${allowed.join(' or ')}, or leave it out`, {
    field,
    details: { supported_major_versions: majors, supported_versions: lines },
    suggestion: `declare one of: ${allowed.join(', ')}`,
  })
}
