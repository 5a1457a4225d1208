import { randomUUID } from 'node:crypto'
import type { SIInitiateSessionRequest, SIInitiateSessionResponse } from '@adcp/sdk/types'
import type { ConversationOffering } from '../../domain/brand/brands-file.ts'
import { negotiate } from '../../domain/brand/conversation-capabilities.ts'
import { forCaller } from '../../domain/protocol/by-caller.ts'
import { type KeptIdentity, keptIdentity } from '../../domain/si/identity.ts'
import { chooseOffering, unavailableReason } from '../../domain/si/offering.ts'
import { SESSION_TTL_SECONDS, type Session, type SessionFacts } from '../../domain/si/session.ts'
import type { Reply } from '../../features/sponsored-intelligence/si-host.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findOfferingToken, insertSession, sessionPlace } from '../../store/si/si-sessions.ts'
import { brandNameOf, continued, factsAfter, offeringNamed, presentReply, productsOf } from './conversation.ts'
import { declareSponsor } from './declare-sponsor.ts'

interface Prepared {
  readonly offering: ConversationOffering | undefined
  readonly facts: SessionFacts
  readonly identity: KeptIdentity
  readonly reply: Reply
}

export const siInitiateSession = defineTask<SIInitiateSessionRequest, SIInitiateSessionResponse>()({
  name: 'si_initiate_session',
  mutating: true,
  access: 'authenticated',
  scope: 'sponsored_intelligence',
  summary:
    'Begin a sponsored conversation from what the user wants; who the user is only with consent. Returns the session and first words.',
  prepare: open,
  async handle(request, context, { offering, facts, identity, reply }) {
    const { tx, principal, services, now } = context
    const sessionId = `sis_${randomUUID()}`
    const state = reply.handoff === 'complete' ? 'complete' : 'active'
    const session: Session = {
      sessionId,
      offeringId: offering?.offering_id,
      state,
      endedReason: state === 'complete' ? 'handoff_complete' : undefined,
      endedAt: state === 'complete' ? now.toISOString() : undefined,
      lastActiveAt: now.toISOString(),
      ttlSeconds: SESSION_TTL_SECONDS,
      facts: factsAfter(facts, reply),
      turns: 1,
      createdAt: now.toISOString(),
    }
    const { user, anonymousId } = identity
    const who = user || anonymousId !== undefined ? JSON.stringify({ user, anonymous_id: anonymousId }) : undefined
    const lines = [{ from: 'user', text: request.intent } as const, { from: 'brand', text: reply.message } as const]
    const sealed = {
      identity: who === undefined ? undefined : services.conversations.seal(who, sessionPlace(sessionId, 'identity')),
      transcript: continued(services, sessionId, undefined, lines),
    }
    const nothing = { identity: undefined, transcript: undefined }
    await insertSession(tx, principal, { session, sealed: state === 'complete' ? nothing : sealed })
    return {
      session_id: sessionId,
      session_status: state,
      session_ttl_seconds: SESSION_TTL_SECONDS,
      response: presentReply(reply, session.facts),
      negotiated_capabilities: session.facts.capabilities,
      ...(await declareSponsor(offering, reply.products.length, context)),
    }
  },
})

async function open(request: SIInitiateSessionRequest, context: AuthenticatedContext): Promise<Prepared> {
  const { services, tenant } = context
  const identity = keptIdentity(request.identity)
  const brandSet = await services.brands.load(tenant.tenantId)
  const token = await tokenOf(request, context)
  const offering = await offeringFor(request, token?.offeringId, context)
  const { placement, media_buy_id: mediaBuyId, supported_capabilities: host } = request
  const facts: SessionFacts = {
    ...(placement !== undefined && { placement }),
    ...(mediaBuyId !== undefined && { mediaBuyId }),
    capabilities: negotiate(host, offering?.checkout_url !== undefined),
    shown: token?.shown ?? [],
    consent: identity.consent,
  }
  const reply = await forCaller(services.siHost, context).reply({
    brandName: offering ? brandNameOf(brandSet, offering.brand_id) : tenant.name,
    offering,
    text: request.intent,
    action: undefined,
    isOpening: true,
    shown: productsOf(offering, facts.shown),
    wanted: undefined,
  })
  return { offering, facts, identity, reply }
}

async function tokenOf(
  { offering_token: token, offering_id: id }: SIInitiateSessionRequest,
  { db, principal, now }: AuthenticatedContext,
) {
  if (token === undefined) return undefined
  const found = await findOfferingToken(db, principal, token, now)
  if (!found || (id !== undefined && id !== found.offeringId)) {
    throw new AdcpError('INVALID_REQUEST', found ? 'the token is of another offering' : 'the token is over or not yours', {
      field: 'offering_token',
      suggestion: 'ask si_get_offering again',
    })
  }
  return found
}

/** The offering that the request or its token names; else the one that is nearest to what the user wants. */
async function offeringFor(
  request: SIInitiateSessionRequest,
  tokenOfferingId: string | undefined,
  { services, tenant, now }: AuthenticatedContext,
): Promise<ConversationOffering | undefined> {
  const brandSet = await services.brands.load(tenant.tenantId)
  const named = request.offering_id ?? tokenOfferingId
  if (named === undefined) return chooseOffering(brandSet.offerings, (id) => brandNameOf(brandSet, id), request.intent, now)
  const offering = offeringNamed(brandSet, named)
  const reason = unavailableReason(offering, now)
  if (reason === undefined) return offering
  throw new AdcpError('INVALID_REQUEST', `the offering is not available: ${reason}`, {
    field: 'offering_id',
    suggestion: 'si_get_offering names alternatives',
  })
}
