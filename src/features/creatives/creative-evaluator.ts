import type { Assets } from '../../domain/creative/assets.ts'
import type { CreativeFeature, FeatureValue } from '../../domain/creative/features/feature.ts'
import type { Finding } from '../../domain/creative/finding.ts'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'

/** A creative to evaluate. */
export interface EvaluationJob {
  readonly formatId: FormatKey
  readonly assets: Assets
  /** How content says it was made (AdCP core/provenance.json `digital_source_type`), when it does. */
  readonly sourceType: string | undefined
  /** Whether it declares which disclosures it owes. */
  readonly disclosed: boolean
  /** What the format has to say of it; undefined when the format is not known here. */
  readonly findings: readonly Finding[] | undefined
}

/**
 * The one interface to creative evaluators. Calls may use the network: never inside a database transaction. Creatives are untrusted: they are parsed, never
 * run or followed as instructions. Failures are AdcpErrors (SERVICE_UNAVAILABLE when the evaluator cannot be reached).
 */
export interface CreativeEvaluator {
  readonly name: string
  /** What it is and what it cannot do, for the buyer to read. */
  readonly description: string
  /** Names the rules that gave a value; grows with every change of them. */
  readonly version: string
  readonly features: readonly CreativeFeature[]
  /** The values of the named features, in the order of `features`; a feature that does not apply to the creative is left out. */
  evaluate(job: EvaluationJob, featureIds: ReadonlySet<string>): Promise<readonly FeatureValue[]>
}
