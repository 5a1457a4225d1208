import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { PLAYER_SCRIPT } from '../domain/creative/preview/player.ts'
import { countOpen } from '../operator/approvals/count-open.ts'
import { newestChange } from '../operator/reports/newest-change.ts'
import { allowFraming, redirect, respond, respondPage } from '../transports/http/respond.ts'
import type { Answered } from './answer-request.ts'
import type { ConsoleParts } from './console-parts.ts'
import { type Now, personDocument, plainDocument } from './layout.ts'
import { writeTimes, zoneOf } from './local-times.ts'
import { openStream } from './open-stream.ts'
import type { PersonCall, TenantCall } from './route.ts'
import { writeCookie } from './session-cookie.ts'

/**
 * Scripts and styles are our files alone; nothing inline runs, and nobody frames the console. Pictures of creatives come from anywhere over
 * https. uPlot and htmx set styles through the object model, which this allows.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** A creative of a buyer: a document without an origin, so that its scripts reach neither cookie nor page. */
const PREVIEW_POLICY =
  "default-src 'none'; img-src https: data:; media-src https:; style-src 'unsafe-inline' https:; font-src https: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
const SCRIPTS = {
  buyer: "script-src 'unsafe-inline' https:; connect-src https:; frame-src https:; sandbox allow-scripts",
  player: `script-src 'sha256-${createHash('sha256').update(PLAYER_SCRIPT).digest('base64')}'; sandbox allow-scripts`,
  none: 'sandbox',
}

/** Writes an answer. */
export async function writeAnswer(
  parts: Omit<ConsoleParts, 'routes'>,
  response: ServerResponse,
  { answer, call, newCookie }: Answered,
  isSecure: boolean,
): Promise<void> {
  response.setHeader('Content-Security-Policy', POLICY)
  response.setHeader('Referrer-Policy', 'same-origin')
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  if (newCookie !== undefined) response.setHeader('Set-Cookie', writeCookie(newCookie, isSecure))
  switch (answer.kind) {
    case 'stream':
      if (call === undefined || !('person' in call)) throw new Error('a stream is for somebody who is signed in')
      openStream(response, call.person.personId, parts, answer.start)
      return
    case 'redirect':
      if (answer.session !== undefined) response.setHeader('Set-Cookie', writeCookie(answer.session, isSecure))
      redirect(response, answer.location)
      return
    case 'fragment':
      respondPage(response, 200, writeTimes(answer.body, zoneOf(call)))
      return
    case 'file':
      respond(response, 200, {
        type: answer.type,
        body: answer.body,
        headers: { 'Content-Disposition': `attachment; filename="${answer.name}"` },
      })
      return
    case 'preview':
      allowFraming(response)
      response.setHeader('Content-Security-Policy', `${PREVIEW_POLICY}; ${SCRIPTS[answer.scripts]}`)
      respondPage(response, 200, answer.document)
      return
    case 'page': {
      const document = { assets: parts.assets, title: answer.title, charts: answer.charts, passkeys: answer.passkeys }
      const isSignedIn = call !== undefined && 'person' in call
      const page = isSignedIn
        ? personDocument(document, call, answer.body, { ...(await nowOf(call)), live: answer.live })
        : plainDocument(document, answer.body)
      const { retryAfter } = answer
      const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
      respondPage(response, answer.status ?? 200, writeTimes(page, zoneOf(call)), headers)
    }
  }
}

async function nowOf(call: PersonCall | TenantCall): Promise<Now> {
  if (!('tenant' in call)) return { waiting: 0, newest: '' }
  const newest = await newestChange(call.operator, call.tenantId)
  return { waiting: await countOpen(call.operator, call.tenantId), newest }
}
