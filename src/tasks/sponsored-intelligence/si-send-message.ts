import type { SISendMessageRequest, SISendMessageResponse } from '@adcp/sdk/types'
import type { ConversationOffering } from '../../domain/brand/brands-file.ts'
import { forCaller } from '../../domain/protocol/by-caller.ts'
import { requireOpen, type Session } from '../../domain/si/session.ts'
import type { Reply } from '../../features/sponsored-intelligence/si-host.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { getSession, type StoredSession, saveSession } from '../../store/si/si-sessions.ts'
import { brandNameOf, continued, factsAfter, presentReply, productsOf } from './conversation.ts'
import { declareSponsor } from './declare-sponsor.ts'

interface Prepared {
  readonly stored: StoredSession
  readonly offering: ConversationOffering | undefined
  readonly reply: Reply
}

export const siSendMessage = defineTask<SISendMessageRequest, SISendMessageResponse>()({
  name: 'si_send_message',
  mutating: true,
  access: 'authenticated',
  scope: 'sponsored_intelligence',
  summary:
    'Send a message in a sponsored conversation, or report what the user pressed. The brand answers, or hands over to a checkout.',
  prepare: answer,
  async handle(request, context, { stored, offering, reply }) {
    const { tx, principal, services, now } = context
    const { session, sealed } = stored
    const state = reply.handoff ? 'pending_handoff' : 'active'
    const after: Session = {
      ...session,
      state,
      lastActiveAt: now.toISOString(),
      facts: factsAfter(session.facts, reply),
      turns: session.turns + 1,
    }
    const said = request.message ?? `(${request.action_response?.action ?? 'pressed'})`
    const lines = [{ from: 'user', text: said } as const, { from: 'brand', text: reply.message } as const]
    const transcript = continued(services, session.sessionId, sealed.transcript, lines)
    await saveSession(tx, principal, session, { session: after, sealed: { ...sealed, transcript } })
    return {
      session_id: session.sessionId,
      session_status: state,
      response: presentReply(reply, after.facts),
      ...(reply.handoff && { handoff: handoffOf(reply, offering, after) }),
      ...(await declareSponsor(offering, reply.products.length, context)),
    }
  },
})

async function answer(
  request: SISendMessageRequest,
  { db, tenant, principal, services, now }: AuthenticatedContext,
): Promise<Prepared> {
  const stored = await getSession(db, principal, request.session_id)
  const { session } = stored
  requireOpen(session, now)
  const brandSet = await services.brands.load(tenant.tenantId)
  const offering = session.offeringId === undefined ? undefined : brandSet.offeringsById.get(session.offeringId)
  const { wanted } = session.facts
  const reply = await forCaller(services.siHost, { principal }).reply({
    brandName: offering ? brandNameOf(brandSet, offering.brand_id) : tenant.name,
    offering,
    text: request.message,
    action: request.action_response?.action,
    isOpening: false,
    shown: productsOf(offering, session.facts.shown),
    wanted: wanted === undefined ? undefined : productsOf(offering, [wanted])[0],
  })
  return { stored, offering, reply }
}

/** What the host takes over (AdCP si-send-message-response.json, `handoff`). Nothing of the user's words goes along. */
function handoffOf({ handoff, wanted }: Reply, offering: ConversationOffering | undefined, { turns }: Session) {
  if (handoff !== 'transaction' || !wanted) return { type: 'complete' as const }
  return {
    type: 'transaction' as const,
    intent: {
      action: 'purchase',
      product: { product_id: wanted.product_id, name: wanted.name, ...(wanted.price !== undefined && { price: wanted.price }) },
    },
    context_for_checkout: {
      conversation_summary: `The user chose ${wanted.name} after ${turns} messages.`,
      ...(offering && { applied_offers: [offering.offering_id] }),
    },
  }
}
