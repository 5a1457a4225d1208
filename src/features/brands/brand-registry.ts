import type { BrandDocument, ConversationOffering, RightsOffering } from '../../domain/brand/brands-file.ts'
import type { BrandClaims } from '../../domain/brand/claims.ts'
import type { BrandHouse } from '../../domain/brand/identity-document.ts'

/** What a publisher's brand agent knows. */
export interface BrandSet {
  readonly brands: ReadonlyMap<string, BrandDocument>
  /** House of the brands that name none; undefined while there are no brands. */
  readonly house: BrandHouse | undefined
  readonly rights: readonly RightsOffering[]
  readonly rightsById: ReadonlyMap<string, RightsOffering>
  readonly offerings: readonly ConversationOffering[]
  readonly offeringsById: ReadonlyMap<string, ConversationOffering>
  /** What the house confirms of itself; undefined: it answers no claims. */
  readonly claims: BrandClaims | undefined
}

/** Brands, the rights in them and what they talk about; and who issues the keys to make content with. */
export interface BrandRegistry {
  readonly name: string
  /** Says what it is, and what it is not. */
  readonly description: string
  /** Whether generation providers do not know the keys. */
  readonly simulated: boolean
  load(tenantId: string): Promise<BrandSet>
  /** The key of a grant at a provider: the same for the same version, of no use to anybody who has an earlier one. */
  keyFor(grantId: string, version: number, provider: string): string
}
