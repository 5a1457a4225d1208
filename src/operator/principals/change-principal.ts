import type { BillingParty } from '../../domain/account/billing-gate.ts'
import type { TextForm } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { setAgentBilling, setPrincipalStatus, setSigningRequired, setTextForm } from '../../store/identity/principals.ts'
import { auditedStore } from '../audited-store.ts'
import { readBillingParties } from '../billing-parties.ts'
import type { OperatorContext } from '../operator-context.ts'

/** A buyer agent of a publisher. */
interface Named {
  readonly tenantId: string
  readonly principalId: string
}

/** Stops all keys of an agent, or lets them work again. Throws REFERENCE_NOT_FOUND. */
export async function setStatus(
  context: OperatorContext,
  { tenantId, principalId, status }: Named & { readonly status: 'active' | 'suspended' },
): Promise<void> {
  const task = status === 'active' ? 'principals.resume' : 'principals.suspend'
  const store = auditedStore(context, { task, tenant: tenantId, subject: principalId })
  await store.transaction((tx) => setPrincipalStatus(tx, tenantId, principalId, status))
}

/** Whether an agent has to sign what changes state, whatever the profile of its publisher. Throws REFERENCE_NOT_FOUND. */
export async function requireSigning(
  context: OperatorContext,
  { tenantId, principalId, required }: Named & { readonly required: boolean },
): Promise<void> {
  const store = auditedStore(context, { task: 'principals.require-signing', tenant: tenantId, subject: principalId })
  await store.transaction((tx) => setSigningRequired(tx, tenantId, principalId, required))
}

/** What the text beside structured content over MCP is for an agent. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST for another word. */
export async function setAnswerText(
  context: OperatorContext,
  { tenantId, principalId, form }: Named & { readonly form: string },
): Promise<TextForm> {
  const textForm = readTextForm(form)
  const store = auditedStore(context, { task: 'principals.answer-text', tenant: tenantId, subject: principalId })
  await store.transaction((tx) => setTextForm(tx, tenantId, principalId, textForm))
  return textForm
}

/** Sets which billing parties an agent may name for its accounts. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST for another word. */
export async function setBilling(
  context: OperatorContext,
  { tenantId, principalId, billing }: Named & { readonly billing: readonly string[] | 'all' },
): Promise<readonly BillingParty[] | undefined> {
  const parties = readBillingParties(billing)
  const store = auditedStore(context, { task: 'principals.billing', tenant: tenantId, subject: principalId })
  await store.transaction((tx) => setAgentBilling(tx, tenantId, principalId, parties))
  return parties
}

function readTextForm(form: string): TextForm {
  if (form === 'summary' || form === 'json') return form
  throw new AdcpError('INVALID_REQUEST', `"${form}" is no form of text; there are summary and json`, { field: 'form' })
}
