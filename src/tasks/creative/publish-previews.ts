import { randomUUID } from 'node:crypto'
import type { PreviewCreativeRequest, PreviewCreativeSingleResponse } from '@adcp/sdk/types'
import { pageOf } from '../../domain/creative/preview/html.ts'
import { PREVIEW_TTL_MS, type Preview } from '../../domain/creative/preview/preview.ts'
import type { Rendered } from '../../domain/creative/preview/render.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { eachInTurns } from '../../platform/concurrency/yield-to-event-loop.ts'

export type OutputFormat = NonNullable<PreviewCreativeRequest['output_format']>
export const OUTPUTS: readonly OutputFormat[] = ['url', 'html']
export type Published = Pick<PreviewCreativeSingleResponse, 'previews' | 'expires_at'>
type WireRender = Published['previews'][number]['renders'][number]

/** Gives previews their wire form: as addresses on this server, where the pages are kept for a day, or as HTML. */
export async function publishPreviews(
  { services, principal, now }: AuthenticatedContext,
  previews: readonly Preview[],
  output: OutputFormat,
): Promise<Published> {
  const expiresAt = new Date(now.getTime() + PREVIEW_TTL_MS)
  const pages = previews.map(({ input, render }) => ({ html: pageOf(input.name, render.html), scripts: render.scripts }))
  const urls = output === 'url' ? await services.previews.publish(principal.tenantId, pages, now, expiresAt) : []
  const published: Published['previews'] = []
  await eachInTurns(previews.entries(), ([index, { input, render }]) => {
    const previewId = randomUUID()
    published.push({ preview_id: previewId, renders: [presentRender(previewId, render, urls[index])], input })
  })
  return { previews: published, expires_at: expiresAt.toISOString() }
}

function presentRender(previewId: string, render: Rendered, url: string | undefined): WireRender {
  const common = {
    render_id: `${previewId}-${render.role}`,
    role: render.role,
    ...(render.dimensions && { dimensions: render.dimensions }),
    embedding: {
      recommended_sandbox: render.scripts ? 'allow-scripts allow-popups' : 'allow-popups',
      requires_https: false,
      supports_fullscreen: render.fullscreen,
    },
  }
  return url === undefined
    ? { ...common, output_format: 'html', preview_html: render.html }
    : { ...common, output_format: 'url', preview_url: url }
}
