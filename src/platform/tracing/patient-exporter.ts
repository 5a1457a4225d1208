import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'

/** `ExportResultCode.SUCCESS`. */
const SUCCESS = 0

/** The same exporter with a word in the log when the collector becomes unreachable, and one when it is back; never one a batch. */
export function patientExporter(exporter: SpanExporter, log: Logger): SpanExporter {
  let isGone = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== SUCCESS
        if (failed && !isGone) {
          log.warn(
            { reason: result.error?.message },
            'the collector of traces takes no spans (tracing.endpoint); they are dropped',
          )
        }
        if (!failed && isGone) log.info('the collector of traces takes spans again')
        isGone = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  }
}
