// Terms and rankings by Lucene itself, for test_lucene.py. Run as a source file with Anserini's jar.
import io.anserini.analysis.DefaultEnglishAnalyzer;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;

public class LuceneOracle {
  static final Analyzer ANALYZER = DefaultEnglishAnalyzer.newDefaultInstance();

  // Usage: documents queries. Both have a text on each line; documents are in the order of names.
  public static void main(String[] arguments) throws Exception {
    List<String> documents = Files.readAllLines(Path.of(arguments[0]));
    List<String> queries = Files.readAllLines(Path.of(arguments[1]));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String document : documents) out.println("T" + String.join("\t", terms(document).keySet()));
    BM25Similarity similarity = new BM25Similarity(0.9f, 0.4f);
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    IndexWriterConfig config = new IndexWriterConfig(ANALYZER).setSimilarity(similarity);
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      for (String text : documents) {
        Document document = new Document();
        document.add(new TextField("contents", text, Field.Store.NO));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
    searcher.setSimilarity(similarity);
    for (String text : queries) {
      BooleanQuery.Builder query = new BooleanQuery.Builder();
      for (Map.Entry<String, Integer> term : terms(text).entrySet()) {
        TermQuery one = new TermQuery(new Term("contents", term.getKey()));
        query.add(new BoostQuery(one, term.getValue()), BooleanClause.Occur.SHOULD);
      }
      StringBuilder line = new StringBuilder("H");
      for (ScoreDoc hit : searcher.search(query.build(), 50).scoreDocs) {
        line.append('\t').append(hit.doc).append(' ').append(hit.score);
      }
      out.println(line);
    }
    out.flush();
  }

  static Map<String, Integer> terms(String text) throws Exception {
    Map<String, Integer> counts = new LinkedHashMap<>();
    try (TokenStream stream = ANALYZER.tokenStream("contents", text)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) counts.merge(term.toString(), 1, Integer::sum);
      stream.end();
    }
    return counts;
  }
}
