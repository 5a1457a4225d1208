import { completeUntil, MOST_LAG_MS } from '../../ad-serving/embedded/stream/streamed-events.ts'
import { type Finding, ok, problem, warning } from '../../features/doctor/finding.ts'
import { inspectTopic, type TopicFacts } from '../../platform/kafka/inspect-topic.ts'
import { kafkaReason } from '../../platform/kafka/kafka-client.ts'
import { type LogPosition, listLogPositions } from '../../store/embedded/log-positions.ts'
import type { OperatorContext } from '../operator-context.ts'

const CHECK = 'event log'

/** Whether ad events can be written to their log so that none is lost, and are counted. Nothing where they go to the store at once. Never throws for what it finds. */
export async function examineEventLog({
  store,
  config,
  clock,
}: Pick<OperatorContext, 'store' | 'config' | 'clock'>): Promise<readonly Finding[]> {
  const { events, kafka } = config.ads
  if (events === 'store') return []
  try {
    const facts = await inspectTopic(kafka)
    if (!facts)
      return [
        problem(CHECK, `there is no topic ${kafka.topic}`, 'start a server, which makes it, or make it with your own settings'),
      ]
    return [...safetyOf(kafka.topic, facts), ...countedOf(await listLogPositions(store.read, facts.logId), facts, clock())]
  } catch (error) {
    const advice = 'see whether its brokers run and can be reached; events go to the spools of servers meanwhile'
    return [problem(CHECK, `Kafka does not answer: ${kafkaReason(error)}`, advice)]
  }
}

function safetyOf(topic: string, { replicas, inSync, ends, settings }: TopicFacts): Finding[] {
  const least = Number(settings['min.insync.replicas'] ?? 1)
  const found: Finding[] = []
  if (replicas < 2 || least < 2) {
    const text = `${topic} acknowledges an event that ${least === 1 ? 'one broker' : `${least} brokers`} may have alone (${replicas} replicas, min.insync.replicas ${least})`
    found.push(
      warning(CHECK, text, 'have three replicas and min.insync.replicas 2: one broker that is lost for good loses events else'),
    )
  }
  if (inSync < replicas)
    found.push(
      warning(
        CHECK,
        `${topic} has partitions of which ${replicas - inSync} replicas are not in sync`,
        'see which broker is away',
      ),
    )
  if (settings['unclean.leader.election.enable'] === 'true')
    found.push(
      warning(
        CHECK,
        `${topic} allows unclean.leader.election`,
        'set unclean.leader.election.enable to false: it loses acknowledged events',
      ),
    )
  return found.length > 0 ? found : [ok(CHECK, `${topic}: ${ends.length} partitions, ${replicas} replicas, all in sync`)]
}

function countedOf(positions: readonly LogPosition[], { ends }: TopicFacts, now: Date): Finding[] {
  const next = new Map(positions.map(({ partition, nextOffset }) => [partition, nextOffset]))
  const waiting = ends.reduce((sum, end, partition) => sum + Math.max(0, end - (next.get(partition) ?? 0)), 0)
  const until = completeUntil(positions, { partitions: ends.length })
  const lost = positions.reduce((sum, each) => sum + each.lost, 0)
  const advice =
    'run serve --only events, as many as the partitions allow; lines with a frequency cap are silent until it has caught up'
  return [
    ...(lost > 0
      ? [
          problem(
            CHECK,
            `${lost} events were dropped by Kafka before they were counted`,
            'let the topic keep events for longer (retention.ms)',
          ),
        ]
      : []),
    now.getTime() - until.getTime() > MOST_LAG_MS
      ? problem(CHECK, `${waiting} events are not counted; complete is what came before ${until.toISOString()}`, advice)
      : ok(CHECK, `${waiting} events are not counted yet; complete is what came before ${until.toISOString()}`),
  ]
}
