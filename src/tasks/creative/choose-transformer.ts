import type { FormatScope } from '../../domain/creative/resolve-format.ts'
import { checkConfig } from '../../domain/creative/transformers/check-config.ts'
import { type OfferedTransformer, offeredTransformers } from '../../domain/creative/transformers/offered.ts'
import type { Transformer, TransformerConfig } from '../../domain/creative/transformers/transformer.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { instead, quoted } from '../../protocol/nearest-name.ts'
import type { BuildTarget } from './build-manifest.ts'
import type { BuildOptions } from './build-options.ts'

/** The transformer that a build was asked for, with its checked settings. */
export interface ChosenTransformer extends OfferedTransformer {
  readonly config: TransformerConfig
}

/** The transformer that a request names; undefined when it names none. Throws REFERENCE_NOT_FOUND for an unknown one, INVALID_REQUEST for settings that it does not have. */
export function namedTransformer(
  { transformer_id: id, config }: BuildOptions,
  { services }: AuthenticatedContext,
  { formats }: FormatScope,
): ChosenTransformer | undefined {
  if (id === undefined) {
    if (config === undefined) return undefined
    throw new AdcpError('INVALID_REQUEST', 'config holds the settings of a transformer: transformer_id has to name it', {
      field: 'transformer_id',
    })
  }
  const offered = offeredTransformers(services.creativeBuilder.transformers, formats)
  const found = offered.find(({ transformer }) => transformer.id === id)
  if (!found) {
    const hint = instead(
      id,
      offered.map(({ transformer }) => transformer.id),
      'list_transformers lists them',
    )
    throw new AdcpError('REFERENCE_NOT_FOUND', `transformer_id ${quoted(id)} is no transformer of this agent${hint}`, {
      field: 'transformer_id',
    })
  }
  return { ...found, config: checkConfig(config ?? {}, found.transformer) }
}

/** Throws INVALID_REQUEST for a target that a transformer does not make (its `output_format_ids`). */
export function requireMade({ transformer, outputs }: OfferedTransformer, targets: readonly BuildTarget[]): void {
  const wrong = targets.find(({ format, formatId }) => !transformer.makes(format, formatId))
  if (!wrong) return
  const names = outputs.slice(0, 10).map(({ format_id }) => format_id.id)
  throw new AdcpError(
    'INVALID_REQUEST',
    `${wrong.field} is no format that the transformer ${transformer.id} makes; it makes: ${names.join(', ')}`,
    {
      field: wrong.field,
      suggestion: 'see output_format_ids in list_transformers',
    },
  )
}

/** The transformer that makes all targets where the request names none: its themes are the alternatives. */
export function fittingTransformer(
  transformers: readonly Transformer[],
  targets: readonly BuildTarget[],
): Transformer | undefined {
  return transformers.find((each) => targets.every(({ format, formatId }) => each.makes(format, formatId)))
}
