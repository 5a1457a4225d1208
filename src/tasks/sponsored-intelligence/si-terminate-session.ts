import type { SITerminateSessionRequest, SITerminateSessionResponse } from '@adcp/sdk/types'
import type { ConversationOffering } from '../../domain/brand/brands-file.ts'
import { ended, type Session } from '../../domain/si/session.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { getSession, saveSession } from '../../store/si/si-sessions.ts'
import { productsOf } from './conversation.ts'

/** A checkout that is not begun within half an hour is over. */
const CHECKOUT_MS = 30 * 60_000

export const siTerminateSession = defineTask<SITerminateSessionRequest, SITerminateSessionResponse>()({
  name: 'si_terminate_session',
  mutating: true,
  access: 'authenticated',
  scope: 'sponsored_intelligence',
  summary: 'End a sponsored conversation: with a checkout, complete, or broken off. What was said and who said it is erased.',
  async handle(request, context) {
    const { tx, principal, now } = context
    const { session } = await getSession(tx, principal, request.session_id)
    const after = ended(session, request.reason, now)
    if (after !== session) {
      const sealed = { identity: undefined, transcript: undefined }
      await saveSession(tx, principal, session, { session: after, sealed })
    }
    const offering = await offeringOf(after, context)
    return {
      session_id: after.sessionId,
      terminated: true,
      session_status: after.state,
      ...(after.endedReason === 'handoff_transaction' && checkout(after, offering, context)),
      follow_up: followUp(after, offering),
    }
  },
})

async function offeringOf(
  { offeringId }: Session,
  { services, tenant }: AuthenticatedContext,
): Promise<ConversationOffering | undefined> {
  if (offeringId === undefined) return undefined
  return (await services.brands.load(tenant.tenantId)).offeringsById.get(offeringId)
}

/** Where the purchase goes on. The token follows from the session, so that ending it again gives the same one. */
function checkout(
  { sessionId, facts, endedAt }: Session,
  offering: ConversationOffering | undefined,
  { services, now }: InTransaction<AuthenticatedContext>,
): Pick<SITerminateSessionResponse, 'acp_handoff'> {
  if (offering?.checkout_url === undefined) return {}
  const [product] = facts.wanted === undefined ? [] : productsOf(offering, [facts.wanted])
  return {
    acp_handoff: {
      checkout_url: offering.checkout_url,
      checkout_token: services.checkoutToken(sessionId),
      payload: {
        offering_id: offering.offering_id,
        ...(product && { product: { product_id: product.product_id, name: product.name, price: product.price } }),
        applied_offers: [offering.offering_id],
      },
      expires_at: new Date(Date.parse(endedAt ?? now.toISOString()) + CHECKOUT_MS).toISOString(),
    },
  }
}

/** Somebody who left may want to come back. */
function followUp(
  { endedReason }: Session,
  offering: ConversationOffering | undefined,
): NonNullable<SITerminateSessionResponse['follow_up']> {
  const isOpen = endedReason === 'user_exit' || endedReason === 'host_terminated' || endedReason === 'session_timeout'
  return isOpen && offering ? { action: 'save_for_later', data: { offering_id: offering.offering_id } } : { action: 'none' }
}
