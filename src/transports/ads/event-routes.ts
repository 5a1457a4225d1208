import { EVENT_KINDS, type EventKind } from '../../ad-serving/house/line.ts'
import type { HouseService } from '../../ad-serving/house/service.ts'
import { fillUrl, isWebAddress } from '../../domain/creative/macros/fill.ts'
import type { Route } from '../http/server.ts'
import { tokenMacros } from './ad-macros.ts'
import { queryOf, refusedMethod, reply, replyError, replyPixel } from './ad-reply.ts'
import type { AdAddresses } from './addresses.ts'
import type { Device } from './device.ts'
import { FRAME_PERMISSIONS, FRAME_POLICY, frameDocument } from './frame-document.ts'

export interface EventParts {
  readonly house: Pick<HouseService, 'record' | 'shown'>
  readonly addresses: AdAddresses
  readonly deviceOf: (userAgent: string | undefined) => Device
}

const NOT_OURS = { type: 'text/plain; charset=utf-8', body: 'This address was not made by this ad server, or its ad is gone.' }

/**
 * `GET` or `POST /ads/e/{kind}?t=TOKEN`: counts an event once; answers when it is durable. What came before, or too late, is answered alike and
 * counts nothing.
 */
export function eventRoute({ house, deviceOf }: EventParts): Route {
  return async (request, response, [kind = '']) => {
    if (refusedMethod(request, response, ['GET', 'POST'])) return
    try {
      if (!isEventKind(kind) || kind === 'click') return reply(request, response, 404, NOT_OURS)
      const { isBot } = deviceOf(request.headers['user-agent'])
      const result = await house.record(queryOf(request).get('t') ?? '', kind, isBot || isPrefetch(request.headers))
      replyPixel(request, response, result === 'forged' ? 400 : 200)
    } catch (error) {
      replyError(request, response, error)
    }
  }
}

/**
 * `GET /ads/click?t=TOKEN`: counts a click and leads to the page of the creative. Where that is lies in the store: nothing in the address of the
 * click can name another.
 */
export function clickRoute({ house, addresses, deviceOf }: EventParts): Route {
  return async (request, response) => {
    if (refusedMethod(request, response, ['GET', 'HEAD'])) return
    try {
      const token = queryOf(request).get('t') ?? ''
      const ad = await house.shown(token)
      const { clickUrl } = ad?.creative ?? {}
      const target = ad && clickUrl !== undefined ? fillUrl(clickUrl, tokenMacros(ad.served, ad.creative, token, addresses)) : ''
      if (!isWebAddress(target)) return reply(request, response, 404, NOT_OURS)
      const { isBot } = deviceOf(request.headers['user-agent'])
      if (request.method === 'GET') await house.record(token, 'click', isBot || isPrefetch(request.headers))
      response.writeHead(302, { Location: new URL(target).href, 'Cache-Control': 'no-store' })
      response.end()
    } catch (error) {
      replyError(request, response, error)
    }
  }
}

/** `GET /ads/frame?t=TOKEN`: the document of an ad that is code, without an origin wherever it is opened. */
export function frameRoute({ house, addresses }: EventParts): Route {
  return async (request, response) => {
    if (refusedMethod(request, response, ['GET', 'HEAD'])) return
    const token = queryOf(request).get('t') ?? ''
    const ad = await house.shown(token)
    const content = ad?.creative.content
    if (!ad || (content?.kind !== 'html' && content?.kind !== 'script')) return reply(request, response, 404, NOT_OURS)
    response.removeHeader('X-Frame-Options')
    response.setHeader('Content-Security-Policy', FRAME_POLICY)
    response.setHeader('Permissions-Policy', FRAME_PERMISSIONS)
    const body = frameDocument(content, tokenMacros(ad.served, ad.creative, token, addresses))
    reply(request, response, 200, { type: 'text/html; charset=utf-8', body })
  }
}

function isEventKind(text: string): text is EventKind {
  return EVENT_KINDS.some((kind) => kind === text)
}

/** A browser that loads a page which nobody looks at yet says so (Fetch Metadata, `Sec-Purpose`). */
function isPrefetch(headers: { readonly [name: string]: string | readonly string[] | undefined }): boolean {
  return [headers['sec-purpose'], headers.purpose].flat().some((value) => value?.includes('prefetch') === true)
}
