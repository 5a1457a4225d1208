/** A property of the publisher (AdCP core/property.json), as far as products refer to it. */
export interface PropertyDocument {
  readonly property_id: string
  readonly property_type: string
  readonly name: string
  readonly identifiers: readonly { readonly type: string; readonly value: string }[]
  readonly tags?: readonly string[]
  readonly supported_channels?: readonly string[]
}
