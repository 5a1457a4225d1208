import { setTimeout as sleep } from 'node:timers/promises'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { createCallSpans } from '../pipeline/record-call-spans.ts'
import { traceHandler, tracePost } from '../platform/tracing/http-spans.ts'
import { patientExporter } from '../platform/tracing/patient-exporter.ts'
import { VERSION } from '../platform/version.ts'
import type { Tracing } from './tracing.ts'

/**
 * A call makes about a dozen spans of a kilobyte each: the queue stays below ten megabytes, and spans beyond that are dropped. Two
 * seconds are short enough to inspect a call that was just made.
 */
const QUEUE = { maxQueueSize: 8192, maxExportBatchSize: 1024, scheduledDelayMillis: 2_000 }

/** How long the end of the process waits for a collector: it comes after `drainSeconds`, and containers are killed after ten seconds. */
const FLUSH_MS = 1_000

export interface Collector extends Pick<Config['tracing'], 'serviceName' | 'sampleRatio'> {
  readonly endpoint: string
  readonly headers: Record<string, string>
}

/** Makes the spans of this process and sends them in batches. Registers nothing globally. */
export function createTracing({ endpoint, headers, serviceName, sampleRatio }: Collector, log: Logger): Tracing {
  const exporter = new OTLPTraceExporter({ url: endpoint, headers: headers })
  // A caller's flag may keep a trace out, but not push one in: callers are other companies.
  const ratio = new TraceIdRatioBasedSampler(sampleRatio)
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ 'service.name': serviceName, 'service.version': VERSION, 'process.pid': process.pid })),
    sampler: new ParentBasedSampler({ root: ratio, remoteParentSampled: ratio }),
    spanProcessors: [new BatchSpanProcessor(patientExporter(exporter, log), QUEUE)],
  })
  const tracer = provider.getTracer('adcp-sales-agent', VERSION)
  return {
    calls: createCallSpans(tracer),
    handler: (template, handle) => traceHandler(tracer, template, handle),
    post: (post) => tracePost(tracer, post),
    async close() {
      const patience = new AbortController()
      const flushed = provider.shutdown().catch(() => undefined)
      await Promise.race([flushed, sleep(FLUSH_MS, undefined, { signal: patience.signal }).catch(() => undefined)])
      patience.abort()
    },
  }
}
