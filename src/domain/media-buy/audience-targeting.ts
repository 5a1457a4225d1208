import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import { type Audience, type AudienceSize, audienceStatus } from '../audience/audience.ts'
import type { TargetingOverlay } from '../product/targeting-overlay.ts'

export interface SizedAudience {
  readonly audience: Audience
  readonly size: AudienceSize
}

/**
 * Checks the audiences of an overlay (core/targeting.json, `audience_include`, `audience_exclude`) against those of the account. Throws, naming the entry below `path`:
 * INVALID_REQUEST for one that is not there, AUDIENCE_TOO_SMALL, VALIDATION_ERROR for a suppression list that is to be reached.
 */
export function requireTargetable(
  overlay: TargetingOverlay,
  known: ReadonlyMap<string, SizedAudience>,
  minimumSize: number,
  path: string,
): void {
  for (const name of ['audience_include', 'audience_exclude'] as const) {
    for (const [index, id] of (overlay[name] ?? []).entries()) {
      const field = `${path}.${name}[${index}]`
      const found = known.get(id)
      if (!found) {
        throw new AdcpError(
          'INVALID_REQUEST',
          `${field} ${quoted(id)} is no audience of the account; sync_audiences lists them, and adds to them`,
          {
            field,
            suggestion: 'upload it with sync_audiences first',
          },
        )
      }
      const { audience, size } = found
      if (name === 'audience_include' && audience.document.audience_type === 'suppression')
        throw new AdcpError('VALIDATION_ERROR', `${field} is a suppression list, which can only be excluded`, { field })
      const status = audienceStatus(audience, size, minimumSize)
      if (status === 'suspended')
        throw new AdcpError('INVALID_STATE', `${field} is suspended (${audience.document.suspended?.reasonCode})`, {
          field,
          suggestion: 'leave the audience out until sync_audiences shows it as ready',
        })
      if (status === 'too_small') {
        throw new AdcpError('AUDIENCE_TOO_SMALL', `${field} has too few matched members to be used`, {
          field,
          details: { minimum_size: minimumSize },
          suggestion: 'add members with sync_audiences, or leave the audience out',
        })
      }
    }
  }
}
