import { sameFormat } from '../creative/formats/format-id.ts'
import { ownReference } from '../creative/formats/official-formats.ts'
import type { FormatOption } from './format-option.ts'
import type { FormatRef, Offer } from './offer.ts'

/** An error beside an answer that stands (AdCP core/error.json). */
interface Advisory {
  code: string
  message: string
  field: string
  recovery: 'correctable'
  source: 'producer'
  details: object
}

/**
 * Advisories about products whose format declarations (3.1) disagree with their 3.0 format ids (AdCP 3.1 enums/error-code.json,
 * `FORMAT_DECLARATION_DIVERGENT`): the answer stands, and the publisher has to mend the product.
 */
export function formatDivergences(offers: readonly Offer[]): Advisory[] {
  return offers.flatMap((offer, index): Advisory[] => {
    const divergent = (offer.format_options ?? []).filter((option) => isDivergent(option, offer))
    if (divergent.length === 0) return []
    const reason = `format_options name ${divergent.flatMap(referencesOf).join(', ')}, which format_ids do not`
    return [
      {
        code: 'FORMAT_DECLARATION_DIVERGENT',
        message: `products[${index}] declares formats twice, and the two differ: ${reason}; format_options count`,
        field: `products[${index}]`,
        recovery: 'correctable',
        source: 'producer',
        details: {
          product_id: offer.product_id,
          format_ids: offer.format_ids,
          format_options_summary: divergent.map(({ format_kind, format_option_id: id }) => `${format_kind} ${id ?? ''}`.trim()),
          divergence_reason: reason,
        },
      },
    ]
  })
}

function isDivergent({ v1_format_ref: references = [] }: FormatOption, { format_ids }: Offer): boolean {
  if (references.length === 0) return false
  // Either may be the official name of a format of this agent.
  return !format_ids.some((own) => {
    const name = (format: FormatRef) => ownReference(format, own.agent_url)
    return references.some((reference) => sameFormat(name(reference), name(own)))
  })
}

function referencesOf({ v1_format_ref: references = [] }: FormatOption): string[] {
  return references.map(({ id }) => id)
}
