import com.helger.diver.api.coord.DVRCoordinate;
import com.helger.io.resource.FileSystemResource;
import com.helger.phive.api.execute.ValidationExecutionManager;
import com.helger.phive.api.executorset.ValidationExecutorSetRegistry;
import com.helger.phive.api.validity.IValidityDeterminator;
import com.helger.phive.en16931.EN16931Validation;
import com.helger.phive.xml.source.IValidationSourceXML;
import com.helger.phive.xml.source.ValidationSourceXML;
import java.io.File;
import java.util.Locale;

/** Judges UBL files by the rules of EN 16931: prints a line a file, with the faults of it. */
public final class Judge {
  public static void main(String[] files) {
    var registry = new ValidationExecutorSetRegistry<IValidationSourceXML>();
    EN16931Validation.initEN16931(registry);
    for (String file : files) {
      DVRCoordinate id = file.contains("credit") ? EN16931Validation.VID_UBL_CREDIT_NOTE_1316 : EN16931Validation.VID_UBL_INVOICE_1316;
      var results = ValidationExecutionManager.executeValidation(
          IValidityDeterminator.createDefault(), registry.getOfID(id), ValidationSourceXML.create(new FileSystemResource(new File(file))), Locale.US);
      var faults = new StringBuilder();
      results.forEach(result -> result.getErrorList().forEach(error -> {
        if (!error.isError()) return;
        faults.append(error.getErrorID()).append(' ').append(error.getErrorText(Locale.US)).append(" | ");
      }));
      System.out.println(new File(file).getName() + " " + (faults.isEmpty() ? "accepted" : faults.toString().replace('\n', ' ')));
    }
    System.exit(0);
  }
}
