import type { GetCreativeFeaturesRequest, GetCreativeFeaturesResponse } from '@adcp/sdk/types'
import { auditObservations } from '../../domain/creative/audit-observations.ts'
import { resolveFormat } from '../../domain/creative/resolve-format.ts'
import { validateCreative } from '../../domain/creative/validate-creative.ts'
import { defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { formatScopeOf } from './format-scope.ts'

export const getCreativeFeatures = defineTask<GetCreativeFeaturesRequest, GetCreativeFeaturesResponse>()({
  name: 'get_creative_features',
  access: 'authenticated',
  scope: 'creatives',
  account: 'optional',
  summary: 'Evaluate a creative before it runs: its code, links, accessibility, provenance, format.',
  async prepare({ creative_manifest: manifest, feature_ids: wanted }, context) {
    const { creativeEvaluator } = context.services
    const known = new Set(creativeEvaluator.features.map(({ id }) => id))
    const unknown = wanted?.findIndex((id) => !known.has(id)) ?? -1
    if (unknown !== -1) {
      const field = `feature_ids[${unknown}]`
      const suggestion = `one of ${[...known].join(', ')}`
      throw new AdcpError('REFERENCE_NOT_FOUND', `${field} is no feature that is evaluated here`, { field, suggestion })
    }
    const format = resolveFormat(manifest.format_id, await formatScopeOf(context))
    const { digital_source_type: sourceType, disclosure } = manifest.provenance ?? {}
    const job = {
      formatId: manifest.format_id,
      assets: manifest.assets,
      sourceType,
      disclosed: disclosure !== undefined,
      findings: format.kind === 'opaque' ? undefined : validateCreative(manifest.assets, format),
    }
    return creativeEvaluator.evaluate(job, wanted ? new Set(wanted) : known)
  },
  async handle({ creative_manifest: manifest }, { services, contract, now }, values) {
    const { name, version } = services.creativeEvaluator
    const observations = contract.rules.provenanceObservations ? auditObservations(manifest, services.wiring.agentUrl) : []
    return {
      results: values.map(({ featureId, value, unit, confidence, evidence }) => ({
        feature_id: featureId,
        value,
        ...(unit !== undefined && { unit }),
        confidence,
        measured_at: now.toISOString(),
        methodology_version: `${name}/${version}`,
        ...(evidence && evidence.length > 0 && { details: { evidence: [...evidence] } }),
      })),
      ...(observations.length > 0 && { audit_observations: observations }),
    }
  },
})
