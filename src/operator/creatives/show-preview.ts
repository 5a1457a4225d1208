import type { CreativeContent } from '../../domain/creative/creative.ts'
import { fitted, linkAttribute, pageOf } from '../../domain/creative/preview/html.ts'
import { MOST_VAST, readVast, type VastFacts, vastOfAssets, withQuartiles } from '../../domain/creative/preview/player.ts'
import { type Rendered, videoPlayer } from '../../domain/creative/preview/render.ts'
import { type FetchPolicy, publicReason } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type ActContext, defineAct } from '../act.ts'
import { flag } from '../fields.ts'
import { READERS } from '../roles.ts'
import { about, boolean, object, string } from '../shape.ts'
import { PREVIEW_MEMBERS } from './creative-shapes.ts'
import { CREATIVE, CREATIVE_COMMAND, findNamedCreative } from './find-creative.ts'
import { renderedCreative } from './rendered-creative.ts'

/** The box of a small picture, in CSS pixels. */
export const THUMBNAIL = { width: 260, height: 150 } as const
/** A card is drawn this large before it is made small. */
const CARD = { width: 360, height: 420 } as const
/** Wrappers that are followed: as many as players follow at least (VAST 4.2, 2.4.1.3). */
const MOST_WRAPPERS = 3
/** A person waits for it. */
const VAST_POLICY: FetchPolicy = {
  redirects: 'any',
  maxRedirects: 3,
  maxBytes: MOST_VAST,
  connectMs: 3_000,
  readMs: 3_000,
  totalMs: 5_000,
  contentTypes: undefined,
}

const creativePreview = object({
  document: about('an HTML document: show it in a frame without an origin only', string),
  scripts: about('whether it holds code of the buyer', boolean),
  ...PREVIEW_MEMBERS,
})

/** A document that shows a creative as it would be served. A VAST tag by address is fetched. Throws CREATIVE_NOT_FOUND, INVALID_STATE when nothing of it can be shown. */
export const previewCreative = defineAct({
  name: 'creatives.preview',
  route: 'GET /creatives/{buyer}/{account}/{creative}/preview',
  id: 'previewCreative',
  roles: READERS,
  summary: 'An HTML document that shows a creative; it holds what the buyer sent: show it in a sandboxed frame only.',
  fields: { ...CREATIVE, thumbnail: flag(`made to fit into ${THUMBNAIL.width} × ${THUMBNAIL.height} pixels`) },
  answer: creativePreview,
  command: { ...CREATIVE_COMMAND, file: { forms: ['html'], text: ({ document }) => document } },
  async run(context, { thumbnail, ...named }) {
    const { content } = await findNamedCreative(context.store.read, context.tenantId, named)
    const rendered = await renderedCreative(context, content)
    if (!rendered) throw new AdcpError('INVALID_STATE', `nothing of the creative ${named.creative} can be shown`)
    const { html, scripts, layout, dimensions } = thumbnail ? small(rendered) : await played(context, content, rendered)
    return { document: pageOf(content.name, html), scripts, layout, ...(dimensions && { dimensions }) }
  },
})

/** As small as {@link THUMBNAIL}; without the quartiles, so that nothing of ours runs. */
function small(rendered: Rendered): Rendered {
  const { html, layout, dimensions } = rendered
  if (layout === 'cards') return { ...rendered, html: fitted(html, CARD, THUMBNAIL) }
  const size = (layout === 'fixed' || layout === 'video') && dimensions
  return { ...rendered, html: fitted(html, size || THUMBNAIL, THUMBNAIL), layout: 'fluid' }
}

/** Video with its quartiles, a VAST tag with the video that it leads to; all others as they are. */
async function played(context: ActContext, { assets }: CreativeContent, rendered: Rendered): Promise<Rendered> {
  const vast = vastOfAssets(assets)
  if (rendered.layout === 'video')
    return { ...rendered, html: withQuartiles(rendered.html, vast?.inline === undefined ? {} : readVast(vast.inline)) }
  if (vast?.url === undefined) return rendered
  try {
    const facts = await followVast(await context.services.safeFetch(), vast.url)
    const source = facts.media === undefined ? undefined : linkAttribute(facts.media)
    if (source === undefined) return { ...rendered, html: `${rendered.html}<p>The tag answers without a video.</p>` }
    return { ...rendered, html: withQuartiles(videoPlayer(source, rendered.dimensions), facts), layout: 'video' }
  } catch (error) {
    const why = publicReason(error, 'it cannot be read')
    return { ...rendered, html: `${rendered.html}<p>The tag cannot be shown: ${why}.</p>` }
  }
}

/** The document that a tag leads to, through its wrappers; each adds what it calls. Throws FetchFailure. */
async function followVast(safeFetch: SafeFetch, url: string): Promise<VastFacts> {
  let next = url
  const calls = new Map<string, number>()
  for (let hop = 0; ; hop += 1) {
    const { body } = await safeFetch(next, { policy: VAST_POLICY, accept: 'application/xml, text/xml' })
    const facts = readVast(body.toString('utf8'))
    for (const [event, count] of Object.entries(facts.calls)) calls.set(event, (calls.get(event) ?? 0) + count)
    if (facts.wrapped === undefined || hop >= MOST_WRAPPERS) return { ...facts, calls: Object.fromEntries(calls) }
    next = facts.wrapped
  }
}
