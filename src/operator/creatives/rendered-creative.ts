import { publicOrigin } from '../../config/config.ts'
import type { CreativeContent } from '../../domain/creative/creative.ts'
import { customFormat } from '../../domain/creative/formats/custom-format.ts'
import { standardFormats } from '../../domain/creative/formats/standard-formats.ts'
import { type Rendered, renderCreative } from '../../domain/creative/preview/render.ts'
import { knownFormat } from '../../domain/creative/resolve-format.ts'
import { loadCustomFormats } from '../../store/product/custom-formats.ts'
import type { ActContext } from '../act.ts'

/** How a creative is shown; where it has no size of its own, in that of its format. Undefined: nothing of it can be shown. */
export async function renderedCreative(
  { store, tenantId, config }: Pick<ActContext, 'store' | 'tenantId' | 'config'>,
  { assets, formatId }: CreativeContent,
): Promise<Rendered | undefined> {
  const agentUrl = `${publicOrigin(config)}/mcp`
  const own = (await loadCustomFormats(store.read, tenantId)).map((document) => customFormat(document, agentUrl))
  const formats = [...standardFormats(agentUrl), ...own]
  return renderCreative(assets, formatId, knownFormat(formatId, { formats, sold: [], agentUrl, conformance: false }), {})
}
