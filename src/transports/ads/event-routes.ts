import type { HostedFiles } from '../../ad-serving/embedded/files/hosted-files.ts'
import { type CreativeContent, EVENT_KINDS, type EventKind } from '../../ad-serving/embedded/line.ts'
import type { AdPreviews } from '../../ad-serving/embedded/previews.ts'
import type { EmbeddedService } from '../../ad-serving/embedded/service.ts'
import { fillUrl, isWebAddress } from '../../domain/creative/macros/fill.ts'
import { allowFraming, redirect } from '../http/respond.ts'
import type { Route } from '../http/server.ts'
import { tokenMacros } from './ad-macros.ts'
import { queryOf, refusedMethod, reply, replyError, replyPixel } from './ad-reply.ts'
import type { AdAddresses } from './addresses.ts'
import type { Device } from './device.ts'
import {
  bundleDocument,
  bundlePolicy,
  coveredDocument,
  FRAME_PERMISSIONS,
  FRAME_POLICY,
  frameDocument,
} from './frame-document.ts'

export interface EventParts {
  readonly embedded: Pick<EmbeddedService, 'record' | 'shown'>
  readonly previews: Pick<AdPreviews, 'isPreview' | 'shown'>
  readonly files: HostedFiles
  readonly addresses: AdAddresses
  readonly deviceOf: (userAgent: string | undefined) => Device
}

const NOT_OURS = { type: 'text/plain; charset=utf-8', body: 'This address was not made by this ad server, or its ad is gone.' }

/**
 * `GET` or `POST /ads/e/{kind}?t=TOKEN`: counts an event once, an error with its `code`; answers when it is durable. What came before, or too late, is answered alike and
 * counts nothing.
 */
export function eventRoute({ embedded, previews, deviceOf }: EventParts): Route {
  return async (request, response, [kind = '']) => {
    if (refusedMethod(request, response, ['GET', 'POST'])) return
    try {
      if (!isEventKind(kind) || kind === 'click') return reply(response, 404, NOT_OURS)
      const query = queryOf(request)
      const token = query.get('t') ?? ''
      // Views of a preview are not billed.
      if (previews.isPreview(token)) return replyPixel(response, 200)
      const { isBot } = deviceOf(request.headers['user-agent'])
      const result = await embedded.record(token, kind, isBot || isPrefetch(request.headers), query.get('code') ?? undefined)
      replyPixel(response, result === 'forged' ? 400 : 200)
    } catch (error) {
      replyError(response, error)
    }
  }
}

/**
 * `GET /ads/click?t=TOKEN`: counts a click and leads to the page of the creative. Where that is lies in the store: nothing in the address of the
 * click can name another.
 */
export function clickRoute(parts: EventParts): Route {
  const { embedded, previews, addresses, deviceOf } = parts
  return async (request, response) => {
    if (refusedMethod(request, response, ['GET', 'HEAD'])) return
    try {
      const token = queryOf(request).get('t') ?? ''
      const ad = await shownBy(token, parts)
      const { clickUrl } = ad?.creative ?? {}
      const target = ad && clickUrl !== undefined ? fillUrl(clickUrl, tokenMacros(ad, token, addresses)) : ''
      if (!isWebAddress(target)) return reply(response, 404, NOT_OURS)
      const { isBot } = deviceOf(request.headers['user-agent'])
      if (request.method === 'GET' && !previews.isPreview(token))
        await embedded.record(token, 'click', isBot || isPrefetch(request.headers))
      redirect(response, new URL(target).href, 302)
    } catch (error) {
      replyError(response, error)
    }
  }
}

/**
 * `GET /ads/frame?t=TOKEN`: the document of an ad that is code, without an origin wherever it is opened. Where its line is charged by the click, a document that covers the ad
 * with the link that counts one, and has the ad itself (`&in=1`) in a frame that opens nothing.
 */
export function frameRoute(parts: EventParts): Route {
  const { addresses } = parts
  return async (request, response) => {
    if (refusedMethod(request, response, ['GET', 'HEAD'])) return
    const query = queryOf(request)
    const token = query.get('t') ?? ''
    const ad = await shownBy(token, parts)
    const isCovered = ad?.paidByClick === true && !query.has('in')
    const body = ad && (await documentOf(ad, token, parts))
    if (body === undefined) return reply(response, 404, NOT_OURS)
    allowFraming(response)
    const policy = isCovered || ad?.creative.content.kind === 'bundle' ? bundlePolicy(addresses.origin) : FRAME_POLICY
    response.setHeader('Content-Security-Policy', policy)
    response.setHeader('Permissions-Policy', FRAME_PERMISSIONS)
    const covered = { frame: `${addresses.frame(token)}&in=1`, click: addresses.click(token) }
    reply(response, 200, { type: 'text/html; charset=utf-8', body: isCovered ? coveredDocument(covered) : body })
  }
}

type Shown = Awaited<ReturnType<EmbeddedService['shown']>>

/** What a token shows: of an ad that was served, or of a preview. */
function shownBy(token: string, { embedded, previews }: EventParts): Promise<Shown> {
  return previews.isPreview(token) ? previews.shown(token) : embedded.shown(token)
}

/** The document of an ad that is code; undefined for every other. */
async function documentOf(ad: NonNullable<Shown>, token: string, parts: EventParts): Promise<string | undefined> {
  const { served, creative } = ad
  const { content } = creative
  const { addresses } = parts
  if (content.kind === 'html' || content.kind === 'script') return frameDocument(content, tokenMacros(ad, token, addresses))
  return content.kind === 'bundle'
    ? bundlePage(content, { tenantId: served.tenantId, click: addresses.click(token) }, parts)
    : undefined
}

async function bundlePage(
  { bundleId, entryPoint }: Extract<CreativeContent, { kind: 'bundle' }>,
  { tenantId, click }: { readonly tenantId: string; readonly click: string },
  { files, addresses }: EventParts,
): Promise<string | undefined> {
  const file = await files.findInBundle(tenantId, bundleId, entryPoint)
  if (!file) return undefined
  const chunks: Buffer[] = []
  for await (const chunk of files.read(tenantId, file, 0, file.size - 1)) chunks.push(chunk)
  const folder = entryPoint
    .split('/')
    .slice(0, -1)
    .map((part) => `${encodeURIComponent(part)}/`)
  const base = addresses.bundle(tenantId, bundleId) + folder.join('')
  return bundleDocument(Buffer.concat(chunks).toString(), { base, click })
}

function isEventKind(text: string): text is EventKind {
  return EVENT_KINDS.some((kind) => kind === text)
}

/** A browser that loads a page which nobody looks at yet says so (Fetch Metadata, `Sec-Purpose`). */
function isPrefetch(headers: { readonly [name: string]: string | readonly string[] | undefined }): boolean {
  return [headers['sec-purpose'], headers.purpose].flat().some((value) => value?.includes('prefetch') === true)
}
