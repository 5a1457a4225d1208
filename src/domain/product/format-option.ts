import type { FormatKey } from '../creative/formats/format-id.ts'

/** A format of a product (AdCP 3.1 core/product-format-declaration.json). */
export interface FormatOption {
  readonly format_kind: string
  readonly params: Readonly<Record<string, unknown>>
  readonly format_option_id?: string
  /** Whose catalogue of formats the option is from; absent for one of the product's own. */
  readonly publisher_domain?: string
  readonly v1_format_ref?: readonly FormatKey[]
}
