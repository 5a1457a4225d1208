import type { DesiredCreative } from '../../domain/ad-serving/desired-order.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { CreativeContent } from '../embedded/line.ts'
import { CARD_PARTS, type GamOptions } from './gam-options.ts'
import { type SoapParameters, typed } from './soap-elements.ts'

type Card = Extract<CreativeContent, { kind: 'native' }>

/** Members of a TemplateCreative: the parts of a card that its format's template has variables for. Throws AdcpError where the format has no template. */
export function cardFields(
  { creativeTemplates }: Pick<GamOptions, 'creativeTemplates'>,
  { externalId, formatId }: DesiredCreative,
  card: Card,
  clickUrl: string | undefined,
): SoapParameters {
  const found = Object.hasOwn(creativeTemplates, formatId.id) ? creativeTemplates[formatId.id] : undefined
  if (!found)
    throw new AdcpError(
      'CONFIGURATION_ERROR',
      `creative ${externalId} is a card: options.creativeTemplates has no "${formatId.id}"; name its template and variables`,
    )
  const values: Readonly<Record<string, unknown>> = { ...card, click_url: clickUrl }
  return {
    creativeTemplateId: found.template,
    ...(clickUrl !== undefined && { destinationUrl: clickUrl }),
    creativeTemplateVariableValues: CARD_PARTS.flatMap((part) => {
      const [uniqueName, value] = [found.variables[part], values[part]]
      if (uniqueName === undefined || typeof value !== 'string') return []
      const type = ADDRESSES.includes(part) ? 'UrlCreativeTemplateVariableValue' : 'StringCreativeTemplateVariableValue'
      return [{ ...typed(type), uniqueName, value }]
    }),
  }
}

const ADDRESSES: readonly string[] = ['image', 'logo', 'click_url']
