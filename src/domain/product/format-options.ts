import type { Declare } from '../creative/canonical/declaration.ts'
import { migratedOptionId } from '../creative/canonical/migrated-option-id.ts'
import { sameFormat } from '../creative/formats/format-id.ts'
import { ownReference } from '../creative/formats/official-formats.ts'
import type { FormatOption } from './format-option.ts'
import type { FormatRef, Offer } from './offer.ts'

/** A format of a product under both of its names: the id of 3.0 and the declaration of 3.1 (core/product-format-declaration.json). */
export interface OfferedFormat {
  readonly format: FormatRef
  readonly declaration: FormatOption
}

/** The options of a product, each with the id of the format that it is. An option that a product declares itself may be none that it has an id for. */
export function formatOptionsOf({ format_ids, format_options }: Offer, declare: Declare): readonly OfferedFormat[] {
  if (!format_options) {
    return format_ids.flatMap((format): OfferedFormat[] => {
      const declaration = declare(format)
      return declaration ? [{ format, declaration }] : []
    })
  }
  const [first] = format_ids
  return format_options.flatMap((declaration): OfferedFormat[] => {
    const named = format_ids.find((own) =>
      declaration.v1_format_ref?.some((reference) => sameFormat(ownReference(reference, own.agent_url), own)),
    )
    const format = named ?? first
    return format ? [{ format, declaration }] : []
  })
}

/**
 * A test for the options of a product that any of some references (core/format-option-ref.json) names. Clients that know a format by its official id alone make
 * an option id of that. References are put in order once, since a request may hold thousands.
 */
export function optionTest(references: readonly Readonly<Record<string, unknown>>[]): (option: FormatOption) => boolean {
  const wanted = new Set<string>()
  let hasMigrated = false
  for (const { scope, publisher_domain, format_option_id: id } of references) {
    if (typeof id !== 'string') continue
    wanted.add(optionKey(scope === 'publisher' ? publisher_domain : undefined, id))
    hasMigrated ||= id.startsWith('migrated_')
  }
  return ({ format_option_id, publisher_domain, v1_format_ref = [] }) =>
    wanted.has(optionKey(publisher_domain, format_option_id)) ||
    (hasMigrated && v1_format_ref.some((official) => wanted.has(optionKey(publisher_domain, migratedOptionId(official)))))
}

function optionKey(domain: unknown, id: string | undefined): string {
  return JSON.stringify([domain ?? null, id ?? null])
}
