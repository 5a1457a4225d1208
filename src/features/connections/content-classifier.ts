import type { ArtifactAssessment, PolicyAssessment } from '../../domain/content-standards/judge.ts'
import type { Policy } from '../../domain/policy.ts'
import type { ContentClassifier } from '../content-standards/content-classifier.ts'
import type { CallSystem } from './checked-system.ts'
import { readList, readObject, readOneOf, readOptional, readShare, readText } from './read-answer.ts'

/** A content classifier of the publisher's own. A policy that it leaves out is unjudged. */
export function checkedClassifier(inner: ContentClassifier, call: CallSystem): ContentClassifier {
  const { name, description } = inner
  return {
    name,
    description,
    assess: (artifacts, policies, exemplars) =>
      call(
        'assess',
        () => inner.assess(artifacts, policies, exemplars),
        (answer) =>
          readList(answer, 'the answer', artifacts.length).map((item, index) => readAssessment(item, `item ${index}`, policies)),
      ),
  }
}

function readAssessment(item: unknown, what: string, policies: readonly Policy[]): ArtifactAssessment {
  const { policies: judged, likeExemplar } = readObject(item, what)
  const byId = new Map(
    readList(judged, `policies of ${what}`).map((each, index) => {
      const read = readPolicyAssessment(each, `policy ${index} of ${what}`)
      return [read.policyId, read] as const
    }),
  )
  return {
    policies: policies.map(({ policy_id: policyId }) => byId.get(policyId) ?? unjudged(policyId)),
    likeExemplar: readOptional(
      likeExemplar,
      (value, name) => readOneOf(value, ['pass', 'fail'], name),
      `likeExemplar of ${what}`,
    ),
  }
}

function readPolicyAssessment(item: unknown, what: string): PolicyAssessment {
  const { policyId, outcome, confidence, explanation } = readObject(item, what)
  return {
    policyId: readText(policyId, `policyId of ${what}`),
    outcome: readOneOf(outcome, ['met', 'violated', 'unjudged'], `outcome of ${what}`),
    confidence: readShare(confidence, `confidence of ${what}`),
    explanation: readText(explanation, `explanation of ${what}`),
  }
}

function unjudged(policyId: string): PolicyAssessment {
  return { policyId, outcome: 'unjudged', confidence: 0, explanation: 'the classifier did not judge this policy' }
}
