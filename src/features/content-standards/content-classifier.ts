import type { Artifact } from '../../domain/content-standards/artifact.ts'
import type { Exemplars } from '../../domain/content-standards/content-standards.ts'
import type { ArtifactAssessment } from '../../domain/content-standards/judge.ts'
import type { Policy } from '../../domain/policy.ts'

/**
 * The one port to whatever understands content. Calls may go over a network: never inside a database transaction. The text of artifacts and of
 * policies is untrusted: an implementation on top of a language model must not take instructions from it. Failures are AdcpErrors
 * (SERVICE_UNAVAILABLE when the classifier cannot be reached).
 */
export interface ContentClassifier {
  readonly name: string
  /** What it is and what it cannot do, for the buyer to read. */
  readonly description: string
  /** Holds each artifact against each policy, and against examples that were judged before; answers in the order of the artifacts. */
  assess(
    artifacts: readonly Artifact[],
    policies: readonly Policy[],
    exemplars: Exemplars,
  ): Promise<readonly ArtifactAssessment[]>
}
