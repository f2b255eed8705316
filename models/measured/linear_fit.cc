#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "models/measured/estimate.h"

namespace latchlab {
namespace {

constexpr double kLeastNs = 0.0005;  // minimum error of a mean: half a picosecond
constexpr double kHelp = 4;          // weight of the median variance, in repeats
constexpr double kNothing = 1e-9;  // singular values below this share of the greatest count as zero
constexpr double kMoves = 1e-6;    // a larger share of an open direction moves a constant

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// For each row and column, the system that it belongs to; systems share no constants.
struct Systems {
  std::vector<std::size_t> of_row, of_column;
};

Systems systems_of(const Eigen::MatrixXd& factors) {
  const auto rows = static_cast<std::size_t>(factors.rows());
  const auto columns = static_cast<std::size_t>(factors.cols());
  Systems systems{std::vector<std::size_t>(rows), std::vector<std::size_t>(columns)};
  for (std::size_t j = 0; j < columns; ++j) systems.of_column[j] = j;
  for (std::size_t i = 0; i < rows; ++i) {
    std::size_t lowest = columns;
    const auto stands = [&](std::size_t j) {
      return factors(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) != 0;
    };
    for (std::size_t j = 0; j < columns; ++j)
      if (stands(j)) lowest = std::min(lowest, systems.of_column[j]);
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t was = systems.of_column[j];
      if (stands(j) && was != lowest)
        std::replace(systems.of_column.begin(), systems.of_column.end(), was, lowest);
    }
  }
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      if (factors(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) != 0)
        systems.of_row[i] = systems.of_column[j];
  return systems;
}

// The factor by which the equations of each system contradict each other beyond their sigmas, by
// the number of its first column; 1: they do not.
std::vector<double> stretches(const Systems& systems, const Eigen::VectorXd& residuals) {
  std::vector<double> chi2(systems.of_column.size()), spare(systems.of_column.size());
  for (std::size_t i = 0; i < systems.of_row.size(); ++i) {
    const double residual = residuals(static_cast<Eigen::Index>(i));
    chi2[systems.of_row[i]] += residual * residual;
    spare[systems.of_row[i]] += 1;
  }
  for (const std::size_t system : systems.of_column) spare[system] -= 1;
  std::vector<double> all(chi2.size(), 1);
  for (std::size_t s = 0; s < all.size(); ++s)
    if (spare[s] > 0) all[s] = std::max(1.0, std::sqrt(chi2[s] / spare[s]));
  return all;
}

// Standard errors of the means of the measurements.
std::vector<double> sigmas_of(const std::vector<Equation>& equations) {
  std::vector<Mean> means;
  std::vector<double> variances;
  for (const Equation& equation : equations) {
    means.push_back(mean_of(equation.values));
    variances.push_back(means.back().relative_variance);
  }
  const double usual = median(variances);
  std::vector<double> sigmas;
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const double own = static_cast<double>(means[i].repeats - 1);
    const double relative = (own * means[i].relative_variance + kHelp * usual) / (own + kHelp);
    const double of_mean = relative / static_cast<double>(means[i].repeats);
    sigmas.push_back(sigma_of_mean(of_mean, means[i].value, equations[i].resolution));
  }
  return sigmas;
}

}  // namespace

Mean mean_of(const std::vector<double>& values) {
  Mean mean;
  mean.repeats = values.size();
  for (const double value : values) mean.value += value / static_cast<double>(values.size());
  for (const double value : values)
    mean.relative_variance += (value - mean.value) * (value - mean.value) /
                              static_cast<double>(std::max<std::size_t>(1, values.size() - 1));
  mean.relative_variance /= std::max(1e-300, mean.value * mean.value);
  return mean;
}

double sigma_of_mean(double relative_variance, double value, double resolution) {
  const double sigma = std::sqrt(relative_variance * value * value + resolution * resolution);
  return std::max({sigma, kLeastSigma * std::abs(value), kLeastNs});
}

// Cornish-Fisher expansion of Student's quantile around that of the normal distribution.
double student_interval(double outside, double degrees) {
  double low = 0, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > outside ? low : high) = middle;
  }
  const double z = low, z2 = z * z;
  const double first = z * (z2 + 1) / 4;
  const double second = z * (5 * z2 * z2 + 16 * z2 + 3) / 96;
  const double third = z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384;
  return z + first / degrees + second / (degrees * degrees) + third / (degrees * degrees * degrees);
}

LinearFit fit_equations(const std::vector<Equation>& equations) {
  LinearFit fit;
  for (const Equation& equation : equations)
    for (const auto& [key, factor] : equation.sum) {
      const auto same = [&, name = key](const LinearFit::Column& each) { return each.key == name; };
      if (std::none_of(fit.columns.begin(), fit.columns.end(), same))
        fit.columns.push_back({key, 0, 0, false, {}});
    }
  const auto rows = static_cast<Eigen::Index>(equations.size());
  const auto columns = static_cast<Eigen::Index>(fit.columns.size());
  fit.sigma = sigmas_of(equations);
  Eigen::MatrixXd weighted = Eigen::MatrixXd::Zero(rows, columns);
  Eigen::VectorXd measured(rows);
  double fewest = 1e9;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Mean mean = mean_of(equations[at].values);
    fewest = std::min(fewest, static_cast<double>(mean.repeats));
    measured(i) = mean.value / fit.sigma[at];
    for (const auto& [key, factor] : equations[at].sum)
      for (Eigen::Index j = 0; j < columns; ++j)
        if (fit.columns[static_cast<std::size_t>(j)].key == key)
          weighted(i, j) += factor / fit.sigma[at];
  }
  // Scales columns to length 1, so that the remaining singular values show how little the data
  // determine.
  const Eigen::VectorXd lengths = weighted.colwise().norm();
  const Eigen::MatrixXd scaled = weighted * lengths.cwiseInverse().asDiagonal();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::VectorXd& singular = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < singular.size() && singular(rank) > kNothing * singular(0)) ++rank;
  const Eigen::MatrixXd pseudo =
      lengths.cwiseInverse().asDiagonal() * svd.matrixV().leftCols(rank) *
      singular.head(rank).cwiseInverse().asDiagonal() * svd.matrixU().leftCols(rank).transpose();
  const Eigen::VectorXd values = pseudo * measured;
  const Eigen::VectorXd predicted = weighted * values;
  const double chi2 = (measured - predicted).squaredNorm();
  const auto spare = static_cast<double>(rows - rank);
  fit.reduced_chi2 = spare > 0 ? chi2 / spare : 1;
  const Systems systems = systems_of(weighted);
  const std::vector<double> stretch = stretches(systems, measured - predicted);
  fit.degrees = std::max(4.0, fewest - 1 + kHelp);
  for (Eigen::Index i = 0; i < rows; ++i)
    fit.predicted.push_back(predicted(i) * fit.sigma[static_cast<std::size_t>(i)]);
  for (Eigen::Index j = 0; j < columns; ++j) {
    LinearFit::Column& column = fit.columns[static_cast<std::size_t>(j)];
    double open = 0;
    for (Eigen::Index k = rank; k < columns; ++k) open += svd.matrixV()(j, k) * svd.matrixV()(j, k);
    column.determined = open < kMoves;
    column.value = values(j);
    const double variance = pseudo.row(j).squaredNorm();
    column.sigma = std::sqrt(variance) * stretch[systems.of_column[static_cast<std::size_t>(j)]];
    for (Eigen::Index i = 0; i < rows; ++i)
      column.influence.push_back(pseudo(j, i) * pseudo(j, i) / std::max(1e-300, variance));
  }
  return fit;
}

}  // namespace latchlab
