import type { Creative } from '../../domain/creative/creative.ts'
import type { Format } from '../../domain/creative/formats/format.ts'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { creativeTermsOf } from './creative-terms.ts'
import type { Slot } from './decide.ts'
import type { CreativeTerms } from './line.ts'
import { creativeFitKey, fitKey } from './plan.ts'
import { isPreviewToken, type PreviewTokens } from './preview-tokens.ts'
import type { Decision } from './service.ts'

export interface PreviewParts {
  readonly tokens: PreviewTokens
  readonly clock: () => Date
  findCreative(key: {
    readonly tenantId: string
    readonly principalId: string
    readonly accountId: string
    readonly creativeId: string
  }): Promise<Creative | undefined>
  formatOf(tenantId: string, formatId: FormatKey): Promise<Format | undefined>
}

/** Shows creatives on the publisher's pages before they are approved. The signed link is the only credential; no events are counted. */
export interface AdPreviews {
  /** Whether a token is one of a preview, or pretends to be. */
  isPreview(token: string): boolean
  /**
   * The creative of a link, for the slots of a page: `undefined` for each that it does not fit. Throws INVALID_REQUEST for a link of another publisher, or one that
   * has expired or was not made here.
   */
  decide(tenantId: string, token: string, slots: readonly Slot[]): Promise<readonly (Decision | undefined)[]>
  /** What a token of a preview shows. */
  shown(token: string): Promise<Decision | undefined>
}

export function createAdPreviews({ tokens, clock, findCreative, formatOf }: PreviewParts): AdPreviews {
  const read = async (
    token: string,
  ): Promise<{ readonly decision: Decision; readonly place: string | undefined } | undefined> => {
    const link = tokens.read(token)
    const now = clock().getTime()
    if (!link || link.expiresAt <= now) return undefined
    const { tenantId, creativeId, place } = link
    const creative = await findCreative(link)
    const terms = creative && termsOf(creative, await formatOf(tenantId, creative.content.formatId))
    if (!terms) return undefined
    const served = {
      decisionId: 'preview',
      tenantId,
      lineId: 'preview',
      creativeId,
      place: place ?? 'preview',
      rateMicros: 0,
      isBot: true,
      at: now,
    }
    return { decision: { token, served, creative: terms, names: { creativeId } }, place }
  }
  return {
    isPreview: isPreviewToken,
    async decide(tenantId, token, slots) {
      const found = await read(token)
      if (found?.decision.served.tenantId !== tenantId) throw new AdcpError('INVALID_REQUEST', NOT_GOOD, { field: 'preview' })
      const { decision, place } = found
      return slots.map((slot) =>
        (place === undefined || slot.place === place) && fits(decision.creative, slot) ? decision : undefined,
      )
    },
    shown: async (token) => (await read(token))?.decision,
  }
}

const NOT_GOOD =
  'preview: the link has expired, its creative is gone or cannot be shown, or it was made for another publisher; make a new one (sales-agent creatives preview-link)'

/** As the buyer sent it, with its files where they are. Its trackers are not called: nothing was delivered. */
function termsOf({ content }: Creative, format: Format | undefined): CreativeTerms | undefined {
  const terms = creativeTermsOf(content, format)
  if (!terms || terms.content.kind === 'zip') return undefined
  const { viewTrackers: _seen, clickTrackers: _clicked, ...shown } = terms
  return { ...shown, content: terms.content, trackers: [] }
}

function fits(creative: CreativeTerms, { kind, sizes }: Slot): boolean {
  const key = creativeFitKey(creative)
  return kind === 'display' ? sizes.some((size) => fitKey('display', size) === key) : fitKey(kind) === key
}
