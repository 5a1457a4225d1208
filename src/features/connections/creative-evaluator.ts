import type { CreativeFeature, FeatureValue } from '../../domain/creative/features/feature.ts'
import type { CreativeEvaluator } from '../creatives/creative-evaluator.ts'
import type { CallSystem } from './checked-system.ts'
import { readList, readObject, readOneOf, readOptional, readShare, readText } from './read-answer.ts'

/** An evaluator of creatives of the publisher's own. Values of features that it does not declare, or of another type, are refused. */
export function checkedEvaluator(inner: CreativeEvaluator, call: CallSystem): CreativeEvaluator {
  const { name, description, version, features } = inner
  const byId = new Map(features.map((feature) => [feature.id, feature]))
  return {
    name,
    description,
    version,
    features,
    evaluate: (job, featureIds) =>
      call(
        'evaluate',
        () => inner.evaluate(job, featureIds),
        (answer) =>
          readList(answer, 'the answer')
            .map((item, index) => readValue(item, `item ${index}`, byId))
            .filter(({ featureId }) => featureIds.has(featureId)),
      ),
  }
}

const TYPE_OF = { binary: 'boolean', quantitative: 'number', categorical: 'string' } as const

function readValue(item: unknown, what: string, byId: ReadonlyMap<string, CreativeFeature>): FeatureValue {
  const { featureId, value, confidence, evidence, unit } = readObject(item, what)
  const feature = byId.get(readText(featureId, `featureId of ${what}`))
  if (!feature) throw new TypeError(`featureId of ${what} must be a declared feature`)
  if (!isValue(value) || typeof value !== TYPE_OF[feature.type]) {
    throw new TypeError(`value of ${feature.id} must be a ${TYPE_OF[feature.type]}`)
  }
  const reasons = readOptional(evidence, readList, `evidence of ${feature.id}`)
  return {
    featureId: feature.id,
    value,
    unit: readOptional(unit, readText, `unit of ${feature.id}`) ?? feature.unit,
    confidence: readShare(confidence, `confidence of ${feature.id}`),
    ...(reasons && { evidence: reasons.map((reason) => readText(reason, `evidence of ${feature.id}`)) }),
  }
}

function isValue(value: unknown): value is FeatureValue['value'] {
  return typeof value === 'boolean' || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
}

/** What is wrong with the features that a module declares. */
export function featureFaults(features: unknown): readonly string[] {
  try {
    for (const [index, item] of readList(features, 'features').entries()) {
      const { id, type, description } = readObject(item, `feature ${index}`)
      readText(id, `id of feature ${index}`)
      readOneOf(type, ['binary', 'quantitative', 'categorical'], `type of feature ${index}`)
      readText(description, `description of feature ${index}`)
    }
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
