import type { Assets } from '../../domain/creative/assets.ts'
import type { BrandLook } from '../../domain/creative/build/copy.ts'
import type { Size } from '../../domain/creative/build/display-ad.ts'
import type { Spot } from '../../domain/creative/build/vast-document.ts'
import type { Format } from '../../domain/creative/formats/format.ts'
import type { AdCatalog } from '../../domain/creative/macros/catalog-macros.ts'
import type { BuildConfig, Transformer } from '../../domain/creative/transformers/transformer.ts'

/** One creative to build, for one format. */
export interface BuildJob {
  readonly format: Format
  /** Pixels; absent for formats without a size of their own. */
  readonly size: Size | undefined
  /** What there is: pieces, a whole creative of another format, or the result of an earlier build. */
  readonly assets: Assets
  /** Instructions in natural language. */
  readonly message: string | undefined
  readonly brand: BrandLook | undefined
  readonly catalog: AdCatalog | undefined
  /** Settings of a transformer, where the buyer selected one. They outrank the message. */
  readonly config?: BuildConfig
  readonly universalAdId?: Spot['universalAdId']
  /** Answers impressions when the buyer names no address of its own. */
  readonly pixelUrl?: string
  /** Path of the assets in the request, for errors. */
  readonly field: string
}

/** One item of a catalog as its ad would show, macros filled. */
export interface ItemPreview {
  readonly name: string
  readonly html: string
}

export interface BuiltCreative {
  readonly assets: Assets
  /** Instructions that were not followed, and other things worth knowing, for the buyer to read. */
  readonly notes: readonly string[]
  /** Empty without a catalog. The HTML runs no script and may be shown without a frame. */
  readonly items: readonly ItemPreview[]
}

/**
 * The one port to whatever makes creatives. May be a network: never inside a database transaction. Messages and assets are untrusted:
 * nothing of them may become code of the result. Throws VALIDATION_ERROR, COMPLIANCE_UNSATISFIED, CREATIVE_REJECTED, or SERVICE_UNAVAILABLE when
 * the builder cannot be reached.
 */
export interface CreativeBuilder {
  readonly name: string
  /** What it is and what it cannot do, for the buyer to read. */
  readonly description: string
  /** The ways of making creatives that buyers may select and configure. */
  readonly transformers: readonly Transformer[]
  build(job: BuildJob): Promise<BuiltCreative>
}
