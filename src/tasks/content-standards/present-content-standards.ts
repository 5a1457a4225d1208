import type { ListContentStandardsResponse } from '@adcp/sdk/types'
import type { ContentStandards, Exemplars } from '../../domain/content-standards/content-standards.ts'

type WireStandards = Extract<ListContentStandardsResponse, { standards: unknown }>['standards'][number]

/** The official standards object (AdCP content-standards/content-standards.json). */
export function presentContentStandards({ standardsId, document }: ContentStandards): WireStandards {
  const { scope, policies, exemplars, ext } = document
  const [first, ...rest] = policies
  return {
    standards_id: standardsId,
    ...(scope.description !== undefined && { name: scope.description }),
    ...(scope.countries_all && { countries_all: scope.countries_all }),
    ...(scope.channels_any && { channels_any: scope.channels_any }),
    ...(scope.languages_any && { languages_any: scope.languages_any }),
    ...(first && { policies: [first, ...rest] }),
    ...presentExemplars(exemplars),
    ...(ext && { ext }),
  }
}

/** The official object has no form for exemplars that are addresses; they are left out of it. */
function presentExemplars({ pass, fail }: Exemplars): Pick<WireStandards, 'calibration_exemplars'> {
  if (!pass && !fail) return {}
  return { calibration_exemplars: { ...(pass && { pass: [...pass] }), ...(fail && { fail: [...fail] }) } }
}
