import type { Artifact } from '../../domain/content-standards/artifact.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { ArtifactSource, CollectedArtifact, DeliveredLine } from '../content-standards/artifact-source.ts'
import type { CallSystem } from './checked-system.ts'
import { readList, readObject, readOptional, readText } from './read-answer.ts'

/** A store of the publisher's own for the content next to which ads ran. */
export function checkedArtifacts(inner: ArtifactSource, call: CallSystem): ArtifactSource {
  const { name, description, simulated } = inner
  return {
    name,
    description,
    simulated,
    collect: (lines) =>
      call(
        'collect',
        () => inner.collect(lines),
        (answer) => readList(answer, 'the answer').map((item, index) => readArtifact(item, `item ${index}`, lines, call)),
      ),
  }
}

function readArtifact(item: unknown, what: string, lines: readonly DeliveredLine[], call: CallSystem): CollectedArtifact {
  const { packageId, deliveredAt, recordId, country, channel, read } = readObject(item, what)
  const line = lines.find((each) => each.packageId === packageId)
  if (!line) throw new TypeError(`packageId of ${what} must be the package of a line that was asked for`)
  const moment = new Date(readText(deliveredAt, `deliveredAt of ${what}`))
  if (Number.isNaN(moment.getTime())) throw new TypeError(`deliveredAt of ${what} must be a moment, e.g. 2026-01-31T12:00:00Z`)
  if (typeof read !== 'function') throw new TypeError(`read of ${what} must be a function`)
  const place = readOptional(country, readText, `country of ${what}`)
  const medium = readOptional(channel, readText, `channel of ${what}`)
  return {
    recordId: readText(recordId, `recordId of ${what}`),
    packageId: line.packageId,
    deliveredAt: moment.toISOString(),
    ...(place !== undefined && { country: place }),
    ...(medium !== undefined && { channel: medium }),
    read: () =>
      call(
        'read',
        async () => read.call(item),
        (content) => {
          if (isArtifact(content)) return content
          throw new TypeError(`read of ${what} must answer an artifact with artifact_id, property_rid and assets`)
        },
      ),
  }
}

/** Its further members are judged by the response's schema (AdCP content-standards/artifact.json). */
function isArtifact(value: unknown): value is Artifact {
  return (
    isObject(value) &&
    typeof value.artifact_id === 'string' &&
    typeof value.property_rid === 'string' &&
    Array.isArray(value.assets)
  )
}
